"""A long recording becomes a data set that `prepare` reads, and a killed command goes on where it was."""

import errno
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.audio.checks import AudioError
from voxmatrix.dataset.find import find
from voxmatrix.dataset.segment.output import Segment
from voxmatrix.dataset.segment.run import SegmentSettings, segment
from voxmatrix.dataset.segment.speakers import clusters
from voxmatrix.errors import BadInputError, UnreachableError, UsageError
from voxmatrix.progress import OnProgress

RATE_HZ = 16_000
SENTENCES = (
    "It was a bright cold day in April, and the clocks were striking.",
    "She had peeped into the book that her sister was reading.",
    "There was nothing so very remarkable in that, she thought.",
    "The rabbit took a watch out of its pocket and looked at it.",
)


def tone(pitch_hz: float, seconds: float = 4.0) -> np.ndarray:
    """Somebody says the sentence of this pitch."""
    times = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return (0.3 * np.sin(2 * np.pi * pitch_hz * times)).astype(np.float32)


def silence(seconds: float = 1.5) -> np.ndarray:
    return np.zeros(round(seconds * RATE_HZ), np.float32)


def write(path: Path, *parts: np.ndarray) -> Path:
    soundfile.write(path, np.concatenate(parts), RATE_HZ)
    return path


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """All sentences, one after the other, at 200, 300, 400 and 500 Hz."""
    said = [part for number in range(len(SENTENCES)) for part in (silence(), tone(200 + 100 * number))]
    return write(tmp_path / "long.wav", *said, silence())


def loud_is_speech(samples: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """A stand-in for the network that finds speech."""
    waiting = np.zeros(0, np.float32)
    for block in samples:
        waiting = np.concatenate([waiting, block])
        whole = len(waiting) - len(waiting) % 512
        yield (waiting[:whole].reshape(-1, 512).std(axis=1) > 0.1).astype(np.float32)
        waiting = waiting[whole:]
    yield np.zeros(1 if len(waiting) else 0, np.float32)


class Listener:
    """Knows a sentence by its pitch."""

    name = "stand-in"

    def __init__(self, *sentences: str, limit: int = 100) -> None:
        self.sentences, self.heard, self._limit = sentences or SENTENCES, 0, limit

    def hear(self, samples: np.ndarray, rate_hz: int) -> tuple[str, float]:
        if self.heard == self._limit:
            raise KeyboardInterrupt
        self.heard += 1
        pitch = np.abs(np.fft.rfft(samples)).argmax() * rate_hz / len(samples)
        return self.sentences[round(pitch / 100) - 2], 0.9


@contextmanager
def unseen(activity: str, title: str, begun: int) -> Iterator[OnProgress]:
    yield lambda done, total: None


def run(out: Path, *recordings: Path, texts: tuple[str, ...] = (), listener: Listener | None = None) -> list[Segment]:
    settings = SegmentSettings(recordings=recordings, texts=texts, language="en-us", out=out, min_snr_db=20.0)
    return segment(settings, loud_is_speech, listener or Listener(), None, unseen)


def kept(segments: list[Segment]) -> list[str]:
    return [one.text for one in segments if not one.reason]


@pytest.mark.parametrize("texts", [(), (" ".join(SENTENCES),)])
def test_it_is_a_data_set(tmp_path: Path, recording: Path, texts: tuple[str, ...]) -> None:
    segments = run(tmp_path / "out", recording, texts=texts)
    recordings, problems = find(tmp_path / "out")
    assert not problems
    assert [one.text for one in recordings] == kept(segments) == list(SENTENCES)
    for number, one in enumerate(recordings):
        samples, rate_hz = soundfile.read(one.path)
        assert rate_hz == RATE_HZ
        assert 4.0 < len(samples) / rate_hz < 4.7
        assert abs(samples[:800]).max() == abs(samples[-800:]).max() == 0.0, number
    report = json.loads((tmp_path / "out" / "segments.json").read_text())
    assert sum(one["end"] - one["start"] for one in report["segments"]) == pytest.approx(23.5, abs=0.01)


def test_what_is_not_of_the_text_is_named_and_can_be_corrected(tmp_path: Path, recording: Path) -> None:
    out = tmp_path / "out"
    text = " ".join((*SENTENCES[:2], SENTENCES[3]))
    segments = run(out, recording, texts=(text,))
    assert kept(segments) == [*SENTENCES[:2], SENTENCES[3]]
    assert [one.text for one in segments if one.reason == "not-in-text"] == [SENTENCES[2]]
    with (out / "metadata.csv").open("a") as file:
        file.write((out / "doubtful.csv").read_text())
    assert len(find(out)[0]) == 4
    with pytest.raises(UsageError, match="was changed"):
        run(out, recording, texts=(text,))


def test_a_killed_command_goes_on(tmp_path: Path, recording: Path) -> None:
    whole = run(tmp_path / "whole", recording)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", recording, listener=Listener(limit=3))
    with (tmp_path / "out" / ".segment" / "heard.jsonl").open("a") as file:
        file.write('{"key": "killed wh')
    listener = Listener()
    assert run(tmp_path / "out", recording, listener=listener) == whole
    assert listener.heard == 1
    for name in ("metadata.csv", "doubtful.csv"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_a_full_disk_is_named_and_what_was_heard_is_kept(tmp_path: Path, recording: Path) -> None:
    class Full(Listener):
        def hear(self, samples: np.ndarray, rate_hz: int) -> tuple[str, float]:
            if self.heard == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().hear(samples, rate_hz)

    with pytest.raises(UnreachableError, match="No space left"):
        run(tmp_path / "out", recording, listener=Full())
    listener = Listener()
    assert kept(run(tmp_path / "out", recording, listener=listener)) == list(SENTENCES)
    assert listener.heard == 2


def test_two_who_speak_are_told_apart(tmp_path: Path, recording: Path) -> None:
    """The second sentence is of another speaker, and so is the end of the last."""

    def likeness(samples: np.ndarray, rate_hz: int) -> np.ndarray:
        pitch = np.abs(np.fft.rfft(samples)).argmax() * rate_hz / len(samples)
        is_other = round(pitch / 100) == 3 or (round(pitch / 100) == 5 and samples[:99].any())
        return np.eye(2, dtype=np.float32)[int(is_other)]

    settings = SegmentSettings(
        recordings=[recording], texts=(), language="en-us", out=tmp_path / "out", min_snr_db=20.0, speakers=0
    )
    segments = segment(settings, loud_is_speech, Listener(), likeness, unseen)
    assert [one.speaker for one in segments if one.text] == ["speaker1", "speaker2", "speaker1", "speaker1"]
    assert [one.reason for one in segments if one.text] == ["", "", "", "two-speakers"]
    assert [one.speaker for one in find(tmp_path / "out")[0]] == ["speaker1", "speaker2", "speaker1"]


def test_several_recordings_read_one_text_or_one_each(tmp_path: Path) -> None:
    files = [
        write(tmp_path / folder / "a.wav", silence(), tone(pitch), silence(), tone(pitch + 100), silence())
        for folder, pitch in (("one", 200), ("two", 400))
        if not (tmp_path / folder).mkdir()
    ]
    together = run(tmp_path / "together", *files, texts=(" ".join(SENTENCES),))
    apart = run(tmp_path / "apart", *files, texts=(" ".join(SENTENCES[:2]), " ".join(SENTENCES[2:])))
    assert kept(together) == kept(apart) == list(SENTENCES)
    assert len({one.file for one in together if one.file}) == 4
    with pytest.raises(BadInputError, match=r"no clip of a.wav, a.wav can be used \(not-in-text: "):
        run(tmp_path / "swapped", *files, texts=(" ".join(SENTENCES[2:]), " ".join(SENTENCES[:2])))
    assert len((tmp_path / "swapped" / "doubtful.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize(
    ("content", "error", "message"),
    [
        (b"", AudioError, "empty"),
        (b"hello, this is a text", AudioError, "is a text"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", BadInputError, "cannot be"),
        (bytes(range(256)) * 9, BadInputError, "cannot be read"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, content: bytes, error: type, message: str) -> None:
    path = tmp_path / "long.wav"
    path.write_bytes(content)
    with pytest.raises(error, match=message):
        run(tmp_path / "out", path)
    assert not (tmp_path / "out" / "metadata.csv").exists()


def test_a_truncated_recording_is_refused(tmp_path: Path, recording: Path) -> None:
    recording.write_bytes(recording.read_bytes()[:-100_000])
    with pytest.raises(AudioError, match="truncated"):
        run(tmp_path / "out", recording)


@pytest.mark.parametrize("sound", [silence(5.0), 0.05 * tone(300, 5.0)])
def test_without_speech_it_says_what_there_is(tmp_path: Path, sound: np.ndarray) -> None:
    with pytest.raises(BadInputError, match="there is no speech"):
        run(tmp_path / "out", write(tmp_path / "long.wav", sound))


def test_a_folder_of_something_else_is_not_written_to(tmp_path: Path, recording: Path) -> None:
    with pytest.raises(UsageError, match="something else"):
        run(tmp_path, recording)


@given(st.integers(1, 6), st.integers(0, 1000), st.booleans())
def test_voices_that_are_alike_are_of_one_speaker(speakers: int, seed: int, is_known: bool) -> None:
    dice = np.random.default_rng(seed)
    who = np.concatenate([np.arange(speakers), dice.integers(0, speakers, 30)])
    voices = np.eye(speakers, 64)[who] + 0.03 * dice.standard_normal((len(who), 64))
    found = clusters((voices / np.linalg.norm(voices, axis=1, keepdims=True)).astype(np.float32), is_known * speakers)
    assert len({(one, other) for one, other in zip(who, found.tolist(), strict=True)}) == speakers
