"""The options of older programs."""

import json
import os
from typing import Any

import pytest

from voxmatrix.cli import main
from voxmatrix.cli.parameters.older_options import ALIASES
from voxmatrix.config import LOG_VARIABLE


def settings(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main.run(["plan", "--device", "cpu", *words, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out)["settings"])


@pytest.mark.parametrize(
    ("words", "name", "value", "source"),
    [
        (["--grad-accumulation", "3"], "accumulation", 3, "flag"),
        (["--grad-accumulation=3"], "accumulation", 3, "flag"),
        (["--num-workers", "4"], "workers", 4, "flag"),
        (["--num-workers", "0"], "workers", 0, "automatic"),
        (["--grad-checkpointing"], "gradient_checkpointing", True, "flag"),
        (["--amp"], "precision", "fp32", "automatic"),
        (["--mixed-precision"], "precision", "fp32", "automatic"),
    ],
    ids=str,
)
def test_an_option_of_an_older_program_sets_ours(
    capsys: pytest.CaptureFixture[str], words: list[str], name: str, value: object, source: str
) -> None:
    setting = settings(capsys, *words)[name]
    assert (setting["value"], setting["source"]) == (value, source)


def test_recordings_are_found_by_the_older_names(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["prepare", "nowhere", "--profile-id", "a b", "--prompt-list-id", "c_sv-SE", "--language-code", "sv-SE"]
    assert main.run([*words, "--phonemes", "text"]) == 3
    assert "nowhere" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["train", "prepare", "plan", "speak"])
def test_the_help_does_not_show_them(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert not [alias for alias in (*ALIASES, "--verbose") if alias in shown]


def test_a_command_without_the_option_rejects_its_alias(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["speak", "--text", "Hi", "--grad-accumulation", "2"]) == 2
    assert "--grad-accumulation" in capsys.readouterr().err


def test_verbose_logs_what_is_patched(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LOG_VARIABLE, "")
    assert main.run(["plan", "--device", "cpu", "--verbose"]) == 0
    assert os.environ[LOG_VARIABLE] == "1"
