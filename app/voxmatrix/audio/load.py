"""Any audio file that libsndfile reads → float32 mono at a chosen rate, in bounded memory."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from voxmatrix.audio.riff import missing_seconds
from voxmatrix.audio.samples import Samples
from voxmatrix.errors import BadInputError

if TYPE_CHECKING:
    import soundfile

Fault = Literal["missing", "unreadable", "not-finite", "too-short", "too-long"]

#: No recording of a voice lies outside of these; a header that says so lies, and resampling from 1 Hz fills the memory.
RATES_HZ = range(2000, 1_000_001)
#: Samples of all channels that are held at once while reading.
BLOCK_SAMPLES = 1 << 18
#: At or above this a sample counts as full scale (16 bits: the last 32 steps).
FULL_SCALE = 0.999
#: So many full-scale samples in a row are clipping; one alone is a recording that was normalised to its peak.
CLIPPED_RUN = 3
#: What libsndfile 1.2 says, and what it means.
_PLAINER = {
    "File does not exist or is not a regular file": "it is damaged, or no sound",
    "Internal error : SF_INFO struct incomplete": "its header makes no sense",
    "Format not recognised": "its format is not known",
}


class AudioError(BadInputError):
    """A recording that cannot be used, with a stable word for why."""

    def __init__(self, fault: Fault, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.fault = fault


@dataclass(frozen=True, kw_only=True)
class Wave:
    """Mono sound and what the file held before it was made mono and resampled."""

    samples: Samples  # (frames,) -1..1
    rate_hz: int
    source_rate_hz: int
    source_channels: int
    source_frames: int
    clipped_fraction: float  # of the source's samples, those in runs at full scale

    @property
    def source_seconds(self) -> float:
        """The length of the file's sound."""
        return self.source_frames / self.source_rate_hz


def read(path: Path, rate_hz: int, *, max_seconds: float | None = None) -> Wave:
    """Decode `path`, average its channels and resample to `rate_hz`; a longer file than `max_seconds` is not decoded.

    Raises:
        AudioError: the file is missing, is no audio, is truncated, holds NaN or infinity, or is empty or too long.
    """
    _check_file(path)
    with _open(path) as file:
        if file.samplerate not in RATES_HZ:
            raise _unreadable(path, f"its header says {file.samplerate} Hz", "record it again or mend its header")
        limit = None if max_seconds is None else int(max_seconds * file.samplerate)
        if limit is not None and 0 <= limit < file.frames < 2**62:  # an unknown length is said as 2**63 - 1
            raise _too_long(path, file.frames / file.samplerate, max_seconds or 0)
        wave = _decode(path, file, rate_hz, limit)
        _check_complete(path, file, wave)
    return wave


def _check_file(path: Path) -> None:
    try:
        if path.is_dir():
            raise _unreadable(path, "it is a folder", "put the recording itself there")
        if not path.exists():
            raise AudioError("missing", f"{path.name} is not there", "put the recording there, or remove its line")
        if not path.is_file():  # a pipe or a device, where one would wait for ever
            raise _unreadable(path, "it is no regular file", "put the recording itself there")
        size = path.stat().st_size
        if not os.access(path, os.R_OK):
            raise _unreadable(path, "this user may not read it", f"chmod a+r {path.name}")
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error), "make it readable for this user") from error
    if size == 0:
        raise _unreadable(path, "it is empty (0 bytes)", "record or copy it again")


def _open(path: Path) -> "soundfile.SoundFile":
    import soundfile

    try:
        return soundfile.SoundFile(path)
    except (soundfile.LibsndfileError, OSError, TypeError, ValueError, RuntimeError) as error:
        reason = _plain(error)
        remedy = f"if it plays elsewhere: voxmatrix export audio {path.name} --out {path.stem}.wav"
        raise _unreadable(path, reason, remedy) from error


def _decode(path: Path, file: Any, rate_hz: int, limit: int | None) -> Wave:
    import soxr

    resample = soxr.ResampleStream(file.samplerate, rate_hz, 1, dtype="float32") if file.samplerate != rate_hz else None
    clipping = _Clipping(file.channels)
    parts: list[Samples] = []
    frames = 0
    for block in _blocks(path, file):
        frames += len(block)
        if limit is not None and frames > limit:
            raise _too_long(path, frames / file.samplerate, limit / file.samplerate, "more than ")
        if not np.isfinite(block).all():
            where = frames - len(block) + int(np.argmin(np.isfinite(block).all(axis=1)))
            raise AudioError(
                "not-finite",
                f"{path.name} holds NaN or infinity (first at {where / file.samplerate:.2f} s)",
                "export it again from the program that made it, as 16 or 24 bits",
            )
        clipping.add(block)
        mono = block[:, 0] if file.channels == 1 else block.mean(axis=1, dtype=np.float32)
        parts.append(resample.resample_chunk(mono) if resample else mono)
    if resample and frames:
        parts.append(resample.resample_chunk(np.zeros(0, np.float32), last=True))
    return Wave(
        samples=np.concatenate(parts) if parts else np.zeros(0, np.float32),
        rate_hz=rate_hz,
        source_rate_hz=file.samplerate,
        source_channels=file.channels,
        source_frames=frames,
        clipped_fraction=clipping.fraction,
    )


def _blocks(path: Path, file: Any) -> Iterator[Samples]:
    """The file's frames as (frames, channels)."""
    import soundfile

    size = max(1, BLOCK_SAMPLES // file.channels)
    while True:
        try:
            block: Samples = file.read(size, dtype="float32", always_2d=True)
        except (soundfile.LibsndfileError, RuntimeError) as error:
            raise _unreadable(path, f"decoding stopped: {_plain(error)}", "record or copy it again") from error
        if not len(block):
            return
        yield block


def _check_complete(path: Path, file: Any, wave: Wave) -> None:
    missing = missing_seconds(path, file.format) or max(0, file.frames - wave.source_frames) / file.samplerate
    if missing > 0 and file.frames < 2**62:
        problem = f"it is truncated: {missing:.2f} s that its header promises are not there"
        raise _unreadable(path, problem, "record or copy it again")
    if wave.source_frames == 0:
        raise AudioError("too-short", f"{path.name} holds no sound (0.00 s)", "record or copy it again")


def _unreadable(path: Path, reason: str, remedy: str) -> AudioError:
    return AudioError("unreadable", f"{path.name} cannot be read: {reason}", remedy)


def _plain(error: Exception) -> str:
    reason = str(getattr(error, "error_string", None) or error).rstrip(".")
    return next((plain for start, plain in _PLAINER.items() if reason.startswith(start)), reason)


def _too_long(path: Path, seconds: float, limit_seconds: float, more: str = "") -> AudioError:
    problem = f"{path.name} lasts {more}{seconds:.1f} s; {limit_seconds:g} s is the longest that is read"
    return AudioError("too-long", problem, "cut it into sentences, each with its own text")


class _Clipping:
    """Counts samples in runs at full scale, block by block (a run across two blocks counts as two)."""

    def __init__(self, channels: int) -> None:
        self._channels = channels
        self._clipped = 0
        self._samples = 0

    def add(self, block: Samples) -> None:
        self._samples += block.size
        loud = np.abs(block) >= FULL_SCALE
        if not loud.any():
            return
        for channel in range(self._channels):
            edges = np.flatnonzero(np.diff(np.concatenate(([0], loud[:, channel].view(np.int8), [0]))))
            runs = edges[1::2] - edges[::2]
            self._clipped += int(runs[runs >= CLIPPED_RUN].sum())

    @property
    def fraction(self) -> float:
        return self._clipped / self._samples if self._samples else 0.0
