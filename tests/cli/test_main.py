"""Errors become one sentence, one remedy and one exit code."""

import json
from pathlib import Path

import pytest

from voxmatrix.cli import main


def test_an_unknown_word_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["sing"]) == 2
    assert "--help" in capsys.readouterr().err


def test_a_missing_folder_is_bad_input_and_says_what_to_type(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main.run(["prepare", str(tmp_path / "nowhere"), "--phonemes", "text"]) == 3
    assert "nowhere" in capsys.readouterr().err


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


def test_an_interrupted_command_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("voxmatrix.machine.detect.detect", interrupted)
    assert main.run(["devices"]) == 130
    assert capsys.readouterr().err == "voxmatrix: interrupted\n"
