"""`speak --play`: heard without a file, or beside one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import soundfile

from tests.piper.conftest import *  # noqa: F403  # its voices
from voxmatrix.cli import main


@pytest.fixture(autouse=True)
def heard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the only player of this computer keeps in place of playing it; the folder is empty else."""
    file, folder = tmp_path / "heard.wav", tmp_path / "bin"
    folder.mkdir()
    (folder / "aplay").write_text(
        f'#!/bin/sh\nPATH=/usr/bin:/bin\n[ "$2" = - ] && exec cat > {file}\nexec cat "$2" > {file}\n', encoding="utf-8"
    )
    (folder / "aplay").chmod(0o755)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("PATH", str(folder))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return file


def speak(make_onnx: Callable[..., Path], *words: str) -> int:
    return main.run(["speak", "--voice", str(make_onnx("tiny", 1, "text")), "--play", "--text", "Good day.", *words])


def test_a_text_is_heard_as_it_is_spoken_and_leaves_no_file(
    make_onnx: Callable[..., Path], heard: Path, capsys: Any
) -> None:
    assert speak(make_onnx, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["out"] is None and said["language"] == "en-us"
    assert len(heard.read_bytes()) == 44 + 2 * round(said["seconds"] * said["rate_hz"])
    assert speak(make_onnx) == 0  # a second time
    assert capsys.readouterr().out.startswith("spoken: ")
    assert list(Path().iterdir()) == []


def test_a_file_that_is_asked_for_is_written_and_heard(
    make_onnx: Callable[..., Path], heard: Path, capsys: Any
) -> None:
    assert speak(make_onnx, "--out", "day.wav", "--captions", "day.srt") == 0
    assert heard.read_bytes() == Path("day.wav").read_bytes()
    assert "Good day." in Path("day.srt").read_text(encoding="utf-8")
    assert capsys.readouterr().out.startswith("day.wav: ")
    assert speak(make_onnx, "--out", "day.wav") == 2
    assert "already exists" in capsys.readouterr().err


def test_a_player_without_streams_gets_a_file_that_is_removed(
    make_onnx: Callable[..., Path], heard: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bin" / "paplay").write_text(f'#!/bin/sh\nPATH=/usr/bin:/bin\nexec cat "$1" > {heard}\n')
    (tmp_path / "bin" / "paplay").chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "temporary").mkdir()
    assert speak(make_onnx) == 0
    assert soundfile.info(heard).frames > 0
    assert list((tmp_path / "temporary").iterdir()) == list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--out", "-"), "--out - is for another program"),
        (("--batch", "texts"), "--play is for one text"),
        (("--raw",), "--play needs a file with a header"),
        (("--out", "day.raw"), "--play needs a file with a header"),
        (("--bitrate", "64k"), "--bitrate has no effect on wav"),
    ],
    ids=str,
)
def test_what_cannot_be_played_is_refused(
    words: tuple[str, ...], problem: str, make_onnx: Callable[..., Path], heard: Path, capsys: Any
) -> None:
    assert speak(make_onnx, *words) == 2
    assert problem in capsys.readouterr().err
    assert not heard.exists()


def test_without_a_player_nothing_is_spoken(make_onnx: Callable[..., Path], tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "bin" / "aplay").unlink()
    assert speak(make_onnx, "--out", "day.wav") == 7
    assert "apt install ffmpeg" in capsys.readouterr().err
    assert list(Path().iterdir()) == []


def test_a_player_that_fails_is_named_and_the_file_stays(
    make_onnx: Callable[..., Path], tmp_path: Path, capsys: Any
) -> None:
    (tmp_path / "bin" / "aplay").write_text("#!/bin/sh\necho no sound card >&2\nexit 1\n")
    assert speak(make_onnx, "--out", "day.wav") == 8
    assert "aplay cannot play the speech: no sound card" in capsys.readouterr().err
    assert Path("day.wav").exists()
    assert speak(make_onnx) == 8
    shown = capsys.readouterr()
    assert "no sound card" in shown.err and shown.out == ""
