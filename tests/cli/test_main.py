"""Errors become one sentence, one remedy and one exit code."""

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from voxmatrix.cli import main


def test_an_unknown_word_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["sing"]) == 2
    assert "--help" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["speak", "--text"], "see: voxmatrix speak --help"),
        (["export", "voice", "run", "--out"], "see: voxmatrix export voice --help"),
        (["speak", "--loud"], "see: voxmatrix speak --help"),
        (["--loud"], "see: voxmatrix --help"),
        (["voices"], "run one of: voxmatrix voices list, voxmatrix voices search"),
        (["version"], "run: voxmatrix --version"),
        (["-v"], "run: voxmatrix --version"),
        (["help", "speak"], "run: voxmatrix --help"),
    ],
    ids=str,
)
def test_a_wrong_word_names_what_to_run(words: list[str], named: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(words) == 2
    assert f"  → {named}" in capsys.readouterr().err


def test_a_missing_folder_is_bad_input_and_says_what_to_type(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main.run(["prepare", str(tmp_path / "nowhere"), "--phonemes", "text"]) == 3
    assert "nowhere" in capsys.readouterr().err


def test_the_name_of_a_file_does_not_command_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["prepare", "\x1b]0;evil\x07", "--phonemes", "text"]) == 3
    said = capsys.readouterr().err
    assert r"\x1b]0;evil\x07" in said and not {"\x1b", "\x07"} & set(said)


def test_errors_are_json_for_programs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code = main.run(["prepare", str(tmp_path / "nowhere"), "--phonemes", "text", "--json"])

    answer = json.loads(capsys.readouterr().out)
    assert code == answer["exit_code"] == 3
    assert answer["problem"]


def test_an_unknown_quality_is_usage_and_names_those_there_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main.run(["prepare", str(tmp_path), "--quality", "huge", "--phonemes", "text"]) == 2
    assert "x_low" in capsys.readouterr().err


def test_a_broken_configuration_file_is_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "voxmatrix.toml").write_text("quality = ", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert main.run(["prepare", "."]) == 2
    assert "voxmatrix.toml" in capsys.readouterr().err


def test_flag_is_stronger_than_environment_and_that_than_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "voxmatrix.toml").write_text('quality = "from-file"', encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    main.run(["prepare", ".", "--phonemes", "text"])
    assert "from-file" in capsys.readouterr().err
    monkeypatch.setenv("VOXMATRIX_QUALITY", "from-environment")
    main.run(["prepare", ".", "--phonemes", "text"])
    assert "from-environment" in capsys.readouterr().err
    main.run(["prepare", ".", "--phonemes", "text", "--quality", "from-flag"])
    assert "from-flag" in capsys.readouterr().err


@pytest.mark.parametrize("place", ["VOXMATRIX_SPEED", "speed in voxmatrix.toml"])
def test_a_wrong_value_is_reported_where_it_is_set(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    if place.isupper():
        monkeypatch.setenv(place, "fast")
    else:
        (tmp_path / "voxmatrix.toml").write_text('speed = "fast"\n', encoding="utf-8")

    assert main.run(["speak", "--text", "hi"]) == 2
    assert main.run(["speak", "--text", "hi", "--speed", "slow"]) == 2
    of_place, of_flag = capsys.readouterr().err.strip().split("voxmatrix: ")[1:]
    assert of_place.startswith(f"{place}: 'fast' is not") and "--help" not in of_place
    assert "--speed" in of_flag and "--help" in of_flag


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["prepare", ""], "DATA"),
        (["segment", "a.wav", "", "--out", "clips"], "LONG.wav..."),
        (["segment", "a.wav", "--text", "", "--out", "clips"], "--text"),
        (["speak", "--batch", "", "--out", "speech"], "--batch"),
        (["speak", "--text", "hi", "--out="], "--out"),
        (["book", "", "--voice", "v.onnx"], "FILE"),
        (["distil", "", "--out", "fast.onnx"], "VOICE..."),
    ],
    ids=str,
)
def test_an_empty_path_is_not_the_current_folder(
    words: list[str], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("One.", encoding="utf-8")

    assert main.run(words) == 2
    assert capsys.readouterr().err.startswith(f"voxmatrix: {name} is empty")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize(
    "words",
    [
        ["prepare", ".", "--report", "folder"],
        ["doctor", "--record", "folder"],
        ["distil", "voice.onnx", "--out", "fast.onnx", "--report", "folder"],
        ["distil", "voice.onnx", "--out", "folder.onnx", "--force"],
        ["book", "a.txt", "--voice", "voice.onnx", "--out", "folder", "--force"],
        ["export", "voice", "run", "--out", "folder.onnx", "--force"],
    ],
    ids=str,
)
def test_a_folder_is_no_file_to_write_which_is_said_before_the_work(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("folder", "folder.onnx"):
        (tmp_path / name).mkdir()
    (tmp_path / "a.txt").write_text("One.", encoding="utf-8")

    assert main.run(words) == 2
    assert "is a folder\n  → choose a file in it" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "folder", "folder.onnx"]


@pytest.mark.parametrize(
    "words", [["plan"], ["plan", "--json"], ["voices", "list"], ["--version"], ["--help"]], ids=" ".join
)
def test_a_full_disk_behind_standard_output_is_said(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class FullDisk(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sys.stdout", FullDisk())
    assert main.run(words) == 8
    assert "cannot write standard output: No space left on device" in capsys.readouterr().err


def test_an_error_of_a_library_is_not_called_one_of_the_disk(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise OSError("Could not load this library: lib.so")

    monkeypatch.setattr("voxmatrix.machine.detect.detect", fails)
    assert main.run(["devices"]) == 8
    said = capsys.readouterr().err
    assert said == (
        "voxmatrix: a library failed: Could not load this library: lib.so\n"
        "  → run voxmatrix doctor, and the same command again\n"
    )


def test_an_interrupted_command_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("voxmatrix.machine.detect.detect", interrupted)
    assert main.run(["devices"]) == 130
    assert capsys.readouterr().err == "voxmatrix: interrupted\n"


@pytest.mark.parametrize(("words", "loaded"), [(["--version"], set()), (["voices", "list"], {"voices"})], ids=str)
def test_only_the_command_that_is_used_is_imported(words: list[str], loaded: set[str]) -> None:
    code = (
        "import sys; from voxmatrix_entrypoint import launch; code = launch.launch(sys.argv[1:])\n"
        "from voxmatrix.cli.commands import NAMES\n"
        "print(*(name for name in NAMES if f'voxmatrix.cli.{name}' in sys.modules), file=sys.stderr); sys.exit(code)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("VOXMATRIX_")}
    environment["VOXMATRIX_HOST"] = "0.0.0.0"  # as every image sets it
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, env=environment, text=True, check=True
    )
    assert set(done.stderr.splitlines()[-1].split()) == loaded


def test_a_misspelt_variable_is_found_among_the_options_of_all_commands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOXMATRIX_MAX_STEP", "3")
    assert main.run(["voices", "list"]) == 0
    assert "did you mean VOXMATRIX_MAX_STEPS?" in capsys.readouterr().err
