"""Speech that is interrupted is kept, named, and continued by the same command as if nothing had happened."""

import json
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path
from typing import Any

import pytest

from tests.speak.saying import say
from tests.toys.home import cut
from voxmatrix.errors import InterruptedRunError, UnreachableError
from voxmatrix.models.style import Output, Style
from voxmatrix.speak import wav
from voxmatrix.speak.output import Speech
from voxmatrix.speak.partial import PartialSpeech, speech_key
from voxmatrix.speak.synthesize import SpokenSentence
from voxmatrix.voices.resolve import resolve

TEXT = "Good morning. Oh. The birch canoe slid on the smooth planks! Is that so? It is. Good night, and sleep well."
SEEDED = Style(seed=4)


@pytest.fixture
def voice(make_onnx: Any) -> Path:
    return make_onnx("tiny", 1, "text")


def partial_of(out: Path, voice: Path, style: Style, text: str = TEXT) -> PartialSpeech:
    return PartialSpeech(out, speech_key(text, resolve(voice), style, Output()))


def speak(out: Path, voice: Path, style: Style = SEEDED, stop_after: int | None = None) -> Speech:
    """Speak TEXT as the command does; Ctrl-C after some sentences."""
    count = 0

    def spoken(sentence: SpokenSentence) -> None:
        nonlocal count
        count += 1
        if count == stop_after:
            raise KeyboardInterrupt

    return say(out, TEXT, voice, spoken, partial_of(out, voice, style), seed=style.seed)


@pytest.mark.parametrize("kind", ["onnx", "ckpt"])
@pytest.mark.parametrize("suffix", [".wav", ".raw", ".flac"])
def test_continued_speech_is_the_same_as_uninterrupted_speech(
    make_onnx: Any, make_checkpoint: Any, tmp_path: Path, kind: str, suffix: str
) -> None:
    voice = (make_onnx if kind == "onnx" else make_checkpoint)("tiny", 1, "text")
    whole, out = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    all_of_it = speak(whole, voice)
    for stop_after in (2, 4):
        with pytest.raises(InterruptedRunError) as caught:
            speak(out, voice, stop_after=stop_after)
        assert f"{stop_after} sentences" in caught.value.problem and "same command" in caught.value.remedy
        assert not out.exists()

    assert speak(out, voice) == all_of_it
    assert out.read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([out.name, whole.name])


@pytest.mark.parametrize("suffix", [".wav", ".raw", ".flac"])
@pytest.mark.parametrize("most", [2_000, 60_000])
def test_more_than_fits_into_a_common_header_is_continued(
    voice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, most: int
) -> None:
    whole, out = tmp_path / f"whole{suffix}", tmp_path / f"out{suffix}"
    all_of_it = speak(whole, voice)
    monkeypatch.setattr(wav, "MAX_BYTES", most)  # in place of 4 GiB
    for stop_after in (2, 4):
        with pytest.raises(InterruptedRunError):
            speak(out, voice, stop_after=stop_after)
    assert speak(out, voice) == all_of_it
    if suffix == ".wav":
        assert out.read_bytes()[:4] == b"RF64" and out.read_bytes()[80:] == whole.read_bytes()[44:]
    else:
        assert out.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_speech_whose_file_is_a_link_is_kept_beside_its_target_and_continued(
    voice: Path, tmp_path: Path, suffix: str
) -> None:
    disk, link = tmp_path / "disk", tmp_path / f"link{suffix}"
    disk.mkdir()
    link.symlink_to(disk / f"out{suffix}")
    with pytest.raises(InterruptedRunError):
        speak(link, voice, stop_after=3)
    assert (disk / "link.partial.wav").exists()

    assert speak(link, voice).sentences == 6
    assert link.is_symlink()
    assert [path.name for path in disk.iterdir()] == [f"out{suffix}"]


def test_kept_speech_is_named_and_can_be_played(voice: Path, tmp_path: Path) -> None:
    out = tmp_path / "book.mp3"
    with pytest.raises(InterruptedRunError, match=r"book\.partial\.wav"):
        speak(out, voice, stop_after=3)

    with wave.open(str(tmp_path / "book.partial.wav")) as file:
        seconds = file.getnframes() / file.getframerate()
    start = partial_of(out, voice, SEEDED).start
    assert (start.sentences, start.seconds) == (3, pytest.approx(seconds))


def test_an_interruption_before_the_first_sentence_keeps_nothing(voice: Path, tmp_path: Path) -> None:
    def text() -> Any:
        raise KeyboardInterrupt
        yield ""

    with pytest.raises(KeyboardInterrupt):
        say(tmp_path / "o.wav", text(), voice, partial=partial_of(tmp_path / "o.wav", voice, SEEDED), seed=4)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_while_encoding_keeps_all_speech(
    voice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("voxmatrix.audio.encode.encode", interrupted)
        with pytest.raises(InterruptedRunError, match="6 sentences"):
            speak(tmp_path / "out.flac", voice)
    assert speak(tmp_path / "out.flac", voice).sentences == 6


@pytest.mark.mount
@pytest.mark.parametrize("suffix", [".wav", ".raw", ".flac"])
def test_a_full_disk_keeps_what_is_spoken(voice: Path, tmp_path: Path, suffix: str) -> None:
    disk, whole = tmp_path / "disk", tmp_path / f"whole{suffix}"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)], check=True)
    try:
        with pytest.raises(UnreachableError, match=r"No space left on device; the first [1-5] sentence") as full:
            speak(disk / f"out{suffix}", voice)
        assert "to continue" in full.value.remedy
        start = partial_of(disk / f"out{suffix}", voice, SEEDED).start
        assert start.sentences and start.frames
        subprocess.run(["mount", "-o", "remount,size=9m", str(disk)], check=True)

        assert speak(disk / f"out{suffix}", voice) == speak(whole, voice)
        assert (disk / f"out{suffix}").read_bytes() == whole.read_bytes()
        assert [path.name for path in disk.iterdir()] == [f"out{suffix}"]
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


@pytest.mark.parametrize("change", ["text", "voice", "settings"])
def test_partial_speech_of_something_else_is_not_continued(
    voice: Path, make_onnx: Any, tmp_path: Path, change: str
) -> None:
    out = tmp_path / "out.wav"
    with pytest.raises(InterruptedRunError):
        speak(out, voice, stop_after=2)

    other = partial_of(
        out,
        make_onnx("tiny", 3, "text") if change == "voice" else voice,
        Style(speed=2) if change == "settings" else SEEDED,
        "Hello." if change == "text" else TEXT,
    )
    assert other.start.sentences == 0
    warning = other.warning()
    assert warning and "out.partial.wav" in warning.problem and "beginning" in warning.problem
    assert partial_of(out, voice, SEEDED).warning() is None


@pytest.mark.parametrize("damage", ["{", "[]", '{"key": 1}', "removed", "truncated"])
def test_a_damaged_state_starts_from_the_beginning(voice: Path, tmp_path: Path, damage: str) -> None:
    out = tmp_path / "out.wav"
    with pytest.raises(InterruptedRunError):
        speak(out, voice, stop_after=2)
    state = tmp_path / "out.partial.wav.json"
    if damage == "removed":
        state.unlink()
    elif damage == "truncated":
        cut(tmp_path / "out.partial.wav", 2 / 3)
    else:
        state.write_text(damage)

    assert partial_of(out, voice, SEEDED).start.sentences == 0
    assert speak(out, voice).sentences == 6


def test_a_text_from_a_pipe_is_kept_but_not_continued(voice: Path, tmp_path: Path) -> None:
    def stop(_: SpokenSentence) -> None:
        raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match=r"out\.partial\.wav") as caught:
        say(tmp_path / "out.wav", [TEXT], voice, stop, PartialSpeech(tmp_path / "out.wav", None), seed=4)
    assert not caught.value.remedy
    assert [path.name for path in tmp_path.iterdir()] == ["out.partial.wav"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl-C", "SIGTERM"])
def test_the_command_keeps_names_and_continues_what_it_has_spoken(voice: Path, tmp_path: Path, number: int) -> None:
    (tmp_path / "long.txt").write_text("This is a sentence of a long book. " * 20_000)
    words = ["speak", "--voice", str(voice), "--file", "long.txt", "--out", "long.wav", "--sentence-pause", "0"]
    command = [sys.executable, "-m", "voxmatrix_entrypoint", *words]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as first:
        try:
            deadline = time.monotonic() + 120
            while not any(path.stat().st_size > 200_000 for path in tmp_path.glob(".long.wav.*")):
                assert first.poll() is None and time.monotonic() < deadline
                time.sleep(0.05)
            first.send_signal(number)
            first.send_signal(number)  # as `timeout` and impatient users do
            _, errors = first.communicate(timeout=60)
        finally:
            first.kill()
    assert first.returncode == 130, errors
    assert "long.partial.wav" in errors and "same command" in errors
    kept = json.loads((tmp_path / "long.partial.wav.json").read_text())["sentences"]
    assert f"{kept} sentences" in errors

    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as second:
        assert second.stderr is not None
        assert f"{kept} sentences" in second.stderr.readline()
        second.send_signal(signal.SIGKILL)
