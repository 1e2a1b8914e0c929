"""Speech of a teacher to learn from: what it said of each sentence, and what its network computed on the way.

Nothing is needed of a teacher but its samples. One that computes frames of its own (its filters) may keep them: a
student that learns them soon sounds much more natural. The files may be written by a program in another environment,
with numpy alone: NNNN.npz has `lengths`, `samples` and `hz` of some sentences, joined, NNNN.filters.npy their filters.
"""

import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.pitch import LOWEST_HZ, pitch
from voxmatrix.audio.waves import INT16_MAX, Samples
from voxmatrix.files import read_errors, replacing
from voxmatrix.progress import OnProgress

#: Of every student: samples per second, and samples per frame.
RATE_HZ, HOP = 24_000, 300
#: Sentences in a file. What is in files need not be spoken again after an interruption.
IN_A_FILE = 24


@dataclass(frozen=True, eq=False)
class TeacherSpeech:
    """What a teacher said of a sentence, in f frames: samples (f * HOP,), and hertz (f,), 0 where it is unvoiced.

    `filters` (f, 4, bins), if the teacher has any: log-magnitudes and phases of what its pulses are multiplied with,
    and of what is added to them.
    """

    samples: NDArray[np.int16]
    hz: NDArray[np.float32]
    filters: NDArray[np.float16] | None = None

    @property
    def frames(self) -> int:
        """The number of frames."""
        return len(self.hz)

    def wave(self) -> Samples:
        """The samples in -1..1."""
        return self.samples.astype(np.float32) / np.float32(INT16_MAX)


def speech_of(samples: Samples, rate_hz: int) -> TeacherSpeech:
    """The speech of a teacher that gives nothing but samples (n,)."""
    import soxr

    wave = soxr.resample(samples, rate_hz, RATE_HZ) if rate_hz != RATE_HZ else samples
    frames = len(wave) // HOP
    if not frames:
        return TeacherSpeech(np.zeros(0, np.int16), np.zeros(0, np.float32))
    found = pitch(wave, RATE_HZ).hz
    # Its frames are centred half a window of three periods of the lowest pitch after their start.
    first = 1.5 * np.ceil(RATE_HZ / LOWEST_HZ)
    places = ((np.arange(frames) + 0.5) * HOP - first) / (RATE_HZ * 0.01)
    near = np.clip(np.round(places), 0, max(0, len(found) - 1)).astype(int)
    hz = found[near] if len(found) else np.zeros(frames)
    scaled = np.clip(wave[: frames * HOP], -1, 1) * INT16_MAX
    return TeacherSpeech(scaled.astype(np.int16), hz.astype(np.float32))


def write_corpus(
    folder: Path,
    count: int,
    say: Callable[[range, float], list[TeacherSpeech]],
    wanted_seconds: float,
    progress: OnProgress,
) -> None:
    """Let a teacher say sentences 0 to `count`, until there is as much as is wanted. Files that are there are kept.

    `say` is given the places of the next sentences, and how many seconds are still wanted of these and later ones.
    """
    seconds = 0.0
    for number, start in enumerate(range(0, count, IN_A_FILE)):
        path = folder / f"{number:04d}.npz"
        spoken = read_speech(path)
        if spoken is None:
            spoken = say(range(start, min(start + IN_A_FILE, count)), wanted_seconds - seconds)
            _write(path, spoken)
        seconds += sum(one.frames for one in spoken) * HOP / RATE_HZ
        progress(min(round(seconds), round(wanted_seconds)), round(wanted_seconds))
        if seconds >= wanted_seconds:
            break


def read_corpus(folder: Path) -> list[TeacherSpeech]:
    """What was said of the first sentences."""
    found: list[TeacherSpeech] = []
    for path in sorted(folder.glob("[0-9]*.npz")):
        spoken = read_speech(path)
        if spoken is None:
            break  # the later ones are not those of the next sentences
        found += spoken
    return found


def read_speech(path: Path) -> list[TeacherSpeech] | None:
    """The speech in a file; None if there is none, or it is damaged. Filters stay on the disk until they are used.

    Raises:
        UnreachableError: it cannot be read now, which is no reason to speak it again.
    """
    if not path.exists():
        return None
    with read_errors(path), suppress(ValueError, KeyError, EOFError, zipfile.BadZipFile):
        with path.open("rb") as file, np.load(file) as content:
            lengths, samples, hz = (content[name] for name in ("lengths", "samples", "hz"))
        beside = path.with_suffix(".filters.npy")
        filters = np.load(beside, mmap_mode="r") if beside.exists() else None
        ends = np.cumsum(lengths).tolist()
        return [
            TeacherSpeech(
                samples[start * HOP : end * HOP], hz[start:end], None if filters is None else filters[start:end]
            )
            for start, end in zip([0, *ends[:-1]], ends, strict=True)
        ]
    return None


def _write(path: Path, spoken: Sequence[TeacherSpeech]) -> None:
    with replacing(path) as file:
        np.savez(
            file,
            lengths=np.array([one.frames for one in spoken]),
            samples=np.concatenate([one.samples for one in spoken]),
            hz=np.concatenate([one.hz for one in spoken]),
        )
