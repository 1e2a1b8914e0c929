"""`voxmatrix segment`: what it prints, and what it says of what it cannot use."""

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
import soundfile

from tests.toys.home import cut, cuts
from tests.toys.joined import CODECS, by_bytes, ffmpeg
from voxmatrix.cli import main

RATE_HZ = 16_000
#: By their pitch in 100 Hz.
SENTENCES = {2: "It was a bright cold day in April.", 3: "The clocks were striking, she thought."}


class Part(NamedTuple):
    text: str
    avg_logprob: float = -0.1
    compression_ratio: float = 1.2
    tokens: tuple[int, ...] = (1, 2)


class WhisperModel:
    """A stand-in for that of faster-whisper: it knows a sentence by its pitch."""

    supported_languages = ("en", "no")

    def __init__(self, model: str, **settings: object) -> None:
        if model == "missing":
            raise ValueError("Invalid model size")
        if model == "large-v3":
            raise FileNotFoundError("Got: ConnectError: Name or service not known\nAn error happened")

    def transcribe(self, wave: np.ndarray, **settings: object) -> tuple[list[Part], None]:
        pitch = np.abs(np.fft.rfft(wave)).argmax() * RATE_HZ / len(wave)
        return [Part(SENTENCES[round(pitch / 100)])], None


@pytest.fixture
def faster_whisper(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package, vad = ModuleType("faster_whisper"), ModuleType("faster_whisper.vad")
    package.WhisperModel = WhisperModel  # type: ignore[attr-defined]
    vad.get_vad_model = lambda: lambda wave: wave.reshape(-1, 512).std(axis=1) > 0.1  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "faster_whisper", package)
    monkeypatch.setitem(sys.modules, "faster_whisper.vad", vad)
    yield


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    times = np.arange(3 * RATE_HZ) / RATE_HZ
    silence = np.zeros(2 * RATE_HZ)
    said = [part for pitch in (200, 300) for part in (silence, 0.3 * np.sin(2 * np.pi * pitch * times))]
    soundfile.write(tmp_path / "long.wav", np.concatenate([*said, silence]), RATE_HZ)
    return tmp_path / "long.wav"


@pytest.mark.usefixtures("faster_whisper")
def test_a_recording_and_its_text_become_a_data_set(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, out = tmp_path / "text.md", tmp_path / "clips"
    text.write_text("# Emma\n\n" + SENTENCES[2], encoding="utf-8")
    words = ["segment", str(recording), "--text", str(text), "--out", str(out)]
    assert main.run(words) == 0
    shown = capsys.readouterr().out
    assert "1 clip ready (0 min 3 s)" in shown
    assert "its words are not in the text" in shown and "long.wav, 0:00:06.7 to" in shown
    assert f"voxmatrix prepare {out}" in shown
    assert (out / "metadata.csv").read_text() == f"long-00001|{SENTENCES[2]}\n"
    assert main.run([*words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert answer["clips"] == 1
    assert set(answer["left_out"]) == {"silence", "not-in-text"}
    assert main.run(["prepare", str(out), "--phonemes", "text", "--force"]) == 3  # one recording is not enough
    assert "1 of the recordings" in capsys.readouterr().err


@pytest.mark.usefixtures("faster_whisper")
@pytest.mark.parametrize("ending", ["flac", "mp3"])
def test_a_recording_that_was_joined_from_two_is_heard_to_its_end(ending: str, tmp_path: Path) -> None:
    pieces = []
    for pitch in SENTENCES:
        said = 0.3 * np.sin(2 * np.pi * 100 * pitch * np.arange(3 * RATE_HZ) / RATE_HZ)
        soundfile.write(tmp_path / "piece.wav", np.pad(said, RATE_HZ), RATE_HZ)
        pieces.append(tmp_path / f"{pitch}.{ending}")
        ffmpeg("-i", tmp_path / "piece.wav", *CODECS[ending], pieces[-1])
    out = tmp_path / "clips"
    assert main.run(["segment", str(by_bytes(pieces)), "--out", str(out)]) == 0
    assert [line.partition("|")[2] for line in (out / "metadata.csv").read_text().splitlines()] == [*SENTENCES.values()]


@pytest.mark.usefixtures("faster_whisper")
def test_a_truncated_file_of_an_earlier_command_is_made_again(recording: Path, tmp_path: Path) -> None:
    ffmpeg("-i", recording, *CODECS["mp3"], tmp_path / "long.mp3")
    out, whole = tmp_path / "clips", tmp_path / "whole"
    words = ["segment", str(tmp_path / "long.mp3"), "--out", str(out)]
    assert main.run(words) == 0
    shutil.copytree(out, whole)
    work = Path(".segment")
    assert sorted(path.suffix for path in (out / work).iterdir()) == [".flac", ".jsonl", ".npy"]
    for name, part in cuts([work / path.name for path in (whole / work).iterdir()]):
        shutil.rmtree(out)
        shutil.copytree(whole, out)
        cut(out / name, part)
        assert main.run(words) == 0, (name, part)
        assert (out / "metadata.csv").read_bytes() == (whole / "metadata.csv").read_bytes()
        assert (out / name).stat().st_size == (whole / name).stat().st_size or name.suffix == ".jsonl"


@pytest.mark.usefixtures("faster_whisper")
def test_the_name_of_the_file_is_not_of_the_text(recording: Path, tmp_path: Path) -> None:
    text, out = tmp_path / "story.txt", tmp_path / "clips"
    text.write_text(" ".join(SENTENCES.values()), encoding="utf-8")
    assert main.run(["segment", str(recording), "--text", str(text), "--out", str(out)]) == 0
    assert [line.partition("|")[2] for line in (out / "metadata.csv").read_text().splitlines()] == [*SENTENCES.values()]


@pytest.mark.usefixtures("faster_whisper")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--judge", "missing"], 3, "the model missing cannot be opened"),
        (["--judge", "large-v3"], 8, "large-v3 is not on this computer, and cannot be downloaded"),
        (["--judge", "large-v3"], 8, "set --judge to a folder"),
        (["--judge", "large-v3", "missing.wav"], 3, "cannot read missing.wav"),
        (["--judge", "large-v3", "--out", "empty.txt"], 2, "empty.txt is a file"),
        (["--language", "de"], 3, "the model base does not know the language 'de'"),
        (["--speakers", "many"], 2, "--speakers is 'many'"),
        (["--speakers", "0"], 2, "--speakers is '0'"),
        (["--text", "a.txt", "--text", "b.txt"], 2, "2 texts were given for 1 recording"),
        (["--text", "missing.txt"], 3, "missing.txt"),
        (["--text", "empty.txt"], 3, "empty.txt"),
        (["--min-snr", "-1"], 2, "--min-snr"),
    ],
)
def test_what_is_wrong_is_named(
    words: list[str],
    code: int,
    message: str,
    recording: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(recording.parent)
    Path("empty.txt").write_text("\n")
    assert main.run(["segment", "long.wav", "--out", "clips", *words]) == code
    assert message in capsys.readouterr().err
    assert not Path("clips").exists()


@pytest.mark.parametrize(
    ("missing", "words", "remedy"),
    [("faster_whisper", [], "voxmatrix[judge]"), ("resemblyzer", ["--speakers", "2"], "install --no-deps resemblyzer")],
)
def test_what_is_not_installed_is_named(
    missing: str, words: list[str], remedy: str, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setitem(sys.modules, missing, None)
    assert main.run(["segment", str(recording), "--out", str(tmp_path / "clips"), *words]) == 7
    assert remedy in capsys.readouterr().err


def texts_of(out: Path) -> list[str]:
    return [line.partition("|")[2] for line in (out / "metadata.csv").read_text(encoding="utf-8").splitlines()]


@pytest.mark.usefixtures("faster_whisper")
@pytest.mark.parametrize("beside", [True, False])
def test_a_recording_with_subtitles_is_cut_at_their_times(beside: bool, recording: Path, tmp_path: Path) -> None:
    folder, out = tmp_path / "talk", tmp_path / "clips"
    folder.mkdir()
    shutil.copy(recording, folder / "long.wav")
    times = ("00:00:02,000 --> 00:00:05,000", "00:00:07,000 --> 00:00:10,000")
    cues = [
        f"{when}\n{text}\n"
        for when, text in zip(times, ("It was a bright cold day in April.", "So it ended."), strict=True)
    ]
    (folder / ("long.srt" if beside else "other.srt")).write_text("\n".join(cues))
    given = [str(folder)] if beside else [str(folder / "long.wav"), "--text", str(folder / "other.srt")]
    assert main.run(["segment", *given, "--out", str(out)]) == 0
    assert texts_of(out) == [SENTENCES[2]]
    assert (out / "doubtful.csv").read_text() == "long-00002|So it ended.\n"
    parts = json.loads((out / "segments.json").read_text())["segments"]
    assert [(round(part["start"], 1), round(part["end"], 1)) for part in parts if part["file"]] == [
        (1.7, 5.3),
        (6.7, 10.3),
    ]


@pytest.mark.usefixtures("faster_whisper")
def test_a_folder_of_short_recordings_and_a_numbered_script_lose_nothing(recording: Path, tmp_path: Path) -> None:
    samples, _ = soundfile.read(recording)
    folder, out = tmp_path / "phone", tmp_path / "clips"
    folder.mkdir()
    for name, start in (("Take 10", 1), ("Take 9", 6)):
        soundfile.write(folder / f"{name}.wav", samples[start * RATE_HZ : (start + 5) * RATE_HZ], RATE_HZ)
    (folder / "script.txt").write_text("1. Nobody knew.\n" + "".join(f"{n}. {SENTENCES[n]}\n" for n in (2, 3)))
    assert main.run(["segment", str(folder), "--text", str(folder / "script.txt"), "--out", str(out)]) == 0
    lines = (out / "metadata.csv").read_text().splitlines()
    assert lines == [f"Take_9-00001|{SENTENCES[3]}", f"Take_10-00001|{SENTENCES[2]}"]


@pytest.mark.usefixtures("faster_whisper")
def test_labels_of_another_recording_are_refused(
    recording: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = tmp_path / "Label Track.txt"
    labels.write_text("2.0\t5.0\tOne.\n60.0\t65.0\tToo late.\n")
    words = [str(recording), "--text", str(labels), "--out", str(tmp_path / "clips")]
    assert main.run(["segment", *words]) == 3
    assert "long.wav ends at 12.0 s, but a text begins at 60.0 s: 'Too late.'" in capsys.readouterr().err
    assert main.run(["segment", str(recording), *words]) == 2
    assert "has the times of one recording, but 2 are given" in capsys.readouterr().err
