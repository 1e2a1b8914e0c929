"""Options of older programs, empty paths, and the check before a long-running command."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
import typer

from voxmatrix.cli import main
from voxmatrix.cli.command import ALIASES
from voxmatrix.config import LOG_VARIABLE
from voxmatrix.errors import NoKernelsError


def stop(context: typer.Context) -> None:
    raise NoKernelsError(f"{context.info_name} {context.params['device']}", "use another image")


@pytest.mark.parametrize(
    "words", [["train", "nowhere", "--out", "run"], ["speak", "--text", "Hi"], ["speak", "--batch", "nowhere"]]
)
def test_it_stands_before_what_computes(capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main.run([*words, "--device", "cuda:7"], check=stop) == 5
    assert f"{words[0]} cuda:7" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["train", "--help"], ["devices"], ["export", "audio", "--help"]])
def test_it_does_not_stand_before_what_does_not(words: list[str]) -> None:
    assert main.run(words, check=stop) == 0


def test_words_that_are_not_understood_come_first() -> None:
    assert main.run(["train", "--no-such-flag"], check=stop) == 2


def test_what_is_done_first_is_done_before_the_words_are_read(tmp_path: Path) -> None:
    done: list[int] = []
    assert main.run(["--version"], first=lambda: done.append(1)) == 0
    assert main.run(["no such word"], first=lambda: done.append(2)) == 2
    assert done == [1, 2]


def test_an_error_of_it_has_its_exit_code() -> None:
    def first() -> None:
        raise NoKernelsError("no kernels")

    assert main.run(["--version"], first=first) == 5


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


def test_other_programs_names_of_the_output_and_the_learning_rate_are_understood(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for word in ("--output", "--output-dir", "--output-file", "--output_file"):
        assert main.run(["speak", "--text", "Hi", word, str(tmp_path)]) == 2
        assert f"{tmp_path} is a folder" in capsys.readouterr().err
    assert main.run(["train", "nowhere", "--output-dir", str(tmp_path), "--lr", "high"]) == 2
    assert "'high'" in capsys.readouterr().err


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


LATIN = "Jos\udce9"  # what Python makes of Windows' bytes for José


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["speak", "--text", LATIN], "--text"),
        (["speak", "--text", "Hi", "--speaker", LATIN], "--speaker"),
        (["speak", "--text", "Hi", "--set", LATIN], "--set"),
        (["voices", "clone", "me", "--engine", "toy", "--reference", "r.wav", "--consent", LATIN], "--consent"),
        (["voices", "remote", "add", "x", "http://127.0.0.1:9", "--voice", LATIN], "--voice"),
        (["voices", "search", LATIN], "text"),
        (["book", "b.txt", "--title", LATIN], "--title"),
        (["engines", "install", LATIN], "name"),
        (["worker", "--name", LATIN], "--name"),
    ],
)
def test_a_text_that_is_not_utf_8_is_said_as_of_a_file(
    words: list[str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(words) == 2
    said = capsys.readouterr().err
    assert f"{name}: the text is not UTF-8: at or near byte 3 is 0xe9" in said
    assert "iconv -f cp1252" in said


@pytest.mark.parametrize(
    ("variable", "words"),
    [("VOXMATRIX_SPEAKER", ["speak", "--text", "Hi"]), ("REDIS_PASSWORD", ["plan"]), ("GPU_ID", ["plan"])],
)
def test_a_variable_that_is_not_utf_8_is_named(
    variable: str, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(variable, LATIN)
    assert main.run(words) == 2
    assert f"{variable}: the text is not UTF-8: at or near byte 3 is 0xe9" in capsys.readouterr().err


def test_names_of_files_may_have_any_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(f"{LATIN}.txt").write_text("# One\n\nA sentence.")
    assert main.run(["book", "inspect", f"{LATIN}.txt", "--json"]) == 0
    assert main.run(["book", "inspect", f"{LATIN}.txt"]) == 0
    assert main.run(["plan", "--voice", LATIN]) == 3
    assert "there is no voice" in capsys.readouterr().err


@pytest.mark.parametrize("value", ["[1]", "{a = 1}", '"a\\u0000b"', "inf", "1979-05-27"])
def test_a_line_of_the_settings_that_an_option_cannot_take_is_named(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "voxmatrix.toml").write_text(f"threads = {value}\n")
    monkeypatch.chdir(tmp_path)
    assert main.run(["speak", "--text", "Hi"]) == 2
    assert "threads in " in capsys.readouterr().err


@pytest.mark.parametrize("line", ["cast = true", "lexicon = [1.5]", "voice = true"])
def test_a_path_in_the_settings_of_a_folder_is_text(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "voxmatrix.toml").write_text(f"{line}\n")
    assert main.run(["speak", "--text", "Hi"]) == 2
    assert f"{line.partition(' ')[0]} in voxmatrix.toml is" in capsys.readouterr().err


def test_settings_in_another_encoding_are_said_as_other_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "voxmatrix.toml").write_bytes(b"speaker = 'Jos\xe9'\n")
    monkeypatch.chdir(tmp_path)
    assert main.run(["speak", "--text", "Hi"]) == 2
    assert "not UTF-8: at or near byte 14 is 0xe9" in capsys.readouterr().err
