"""Help texts fit on a terminal of 80 columns, with the whole name of every option."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from voxmatrix.cli import main
from voxmatrix_entrypoint import launch


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and group, with the words that name it."""
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*words, name))


EVERY = dict(commands(typer.main.get_command(launch.cli.cli)))


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_no_name_of_an_option_is_cut(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main.run([*words, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    assert re.findall(r"\S*-\w*…", shown) == []
    names = {
        name
        for one in EVERY[words].params
        if one.param_type_name == "option" and not getattr(one, "hidden", False)
        for name in (*one.opts, *one.secondary_opts)
    }
    assert names - set(re.findall(r"--?[a-z][\w-]*", shown)) == set()


def test_every_command_that_ends_has_json_but_one_that_prints_json_anyway() -> None:
    leaves = {words: one for words, one in EVERY.items() if words and not hasattr(one, "commands")}
    without = {words for words, one in leaves.items() if not any("--json" in option.opts for option in one.params)}
    assert without == {("serve",), ("worker",), ("profiles", "export")}


def test_without_arguments_the_help_is_shown_and_nothing_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([]) == 0
    shown = capsys.readouterr()
    assert "Usage: voxmatrix" in shown.out
    assert shown.err == ""


@pytest.mark.parametrize("words", [("speak",), ("book", "make")], ids=" ".join)
def test_brackets_of_phonemes_are_shown(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert main.run([*words, "--help"]) == 0
    assert "word|respelling or word|[[phonemes]], or a .pls." in capsys.readouterr().out
