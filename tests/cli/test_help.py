"""Help texts fit on a terminal of 80 columns, with the whole name of every option."""

import re
import shlex
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from voxmatrix.cli import commands as places
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


def parsed(name: str, command: Any, words: list[str]) -> None:
    """Parse a command line without running it: options, values, and what is required."""
    context = command.make_context(name, list(words))
    if hasattr(command, "commands"):
        inner, leaf, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        parsed(inner, leaf, rest)


@pytest.mark.parametrize("name", places.PLACES)
def test_every_command_has_an_example_that_can_be_typed(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main.run([name, "--help"]) == 0
    shown, example = capsys.readouterr().out, places.PLACES[name].example
    assert re.search(rf"^ Example: voxmatrix {re.escape(example)} *$", shown, re.MULTILINE)
    first, *words = shlex.split(example)
    assert first == name
    parsed(name, EVERY[(name,)], words)


def test_commands_are_shown_in_panels_those_of_speaking_first(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main.run(["--help"]) == 0
    shown = capsys.readouterr().out
    panels = re.findall(r"^╭─ (\w+) ─", shown, re.MULTILINE)
    assert panels == ["Options", "Speak", "Voices", "Books", "Train", "Computers"]
    listed = re.findall(r"^│ ([a-z]+) +[A-Z]", shown, re.MULTILINE)
    assert listed == list(places.PLACES)
    assert ' voxmatrix speak --text "Hello" --play' in shown


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
