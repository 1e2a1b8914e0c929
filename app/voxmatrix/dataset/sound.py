"""Decode a recording into the cache and measure it."""

import hashlib
import io
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from voxmatrix.audio.measures.measures import VERSION as MEASURES_VERSION
from voxmatrix.audio.reader_version import READER_VERSION
from voxmatrix.dataset.cache import Cache
from voxmatrix.dataset.sound_checks import OFFSET

#: Raise it when trimming (voxmatrix.audio.waves) or the facts change: all recordings are then redone.
VERSION = "3"
#: Longer files are rejected without being decoded, whatever the limit for clips is.
READ_SECONDS = 120.0


class SoundFacts(NamedTuple):
    """Measurements of one file, or why it cannot be read."""

    samples: int = 0  # at the voice's rate, silence trimmed
    rate_hz: int = 0
    seconds: float = 0.0  # of the file, before trimming
    source_rate_hz: int = 0
    channels: int = 0
    loudest_dbfs: float = -120.0  # the loudest 20 ms
    clipped_fraction: float = 0.0
    fault: str = ""  # one of voxmatrix.audio.load.Fault
    problem: str = ""
    remedy: str = ""

    @property
    def trimmed_seconds(self) -> float:
        """Duration after trimming."""
        return self.samples / self.rate_hz if self.rate_hz else 0.0


@lru_cache(maxsize=1 << 16)
def sound_key(sha256: str, rate_hz: int) -> str:
    """The cache key of a file with this SHA-256 at this sample rate."""
    return hashlib.sha256(f"sound {VERSION} {READER_VERSION} {rate_hz} {sha256}".encode()).hexdigest()


def measures_key(sound_key: str) -> str:
    """The cache key of the measurements of a sound."""
    return f"{MEASURES_VERSION}:{sound_key}"


def make_sound(path: Path, rate_hz: int, key: str, cache: Cache, *, measured: bool = False) -> SoundFacts:
    """Decode, trim and store one recording; `fault` and `problem` are set if it cannot be read.

    If it is to be `measured`, its `Measures` are stored, too.

    Raises:
        UnreachableError: the cache cannot be written.
    """
    import numpy as np

    from voxmatrix.audio import load, waves
    from voxmatrix.audio.checks import AudioError
    from voxmatrix.audio.measures.measure import measure
    from voxmatrix.files import replacing

    try:
        wave = load.read(path, rate_hz, max_seconds=READ_SECONDS)
    except AudioError as error:
        return SoundFacts(fault=error.fault, problem=error.problem, remedy=error.remedy)
    offset = float(wave.samples.mean(dtype=np.float64))
    levels = waves.levels_dbfs(wave.samples, rate_hz, offset)
    trimmed = waves.trim(wave.samples, rate_hz, levels)
    if abs(offset) >= OFFSET:
        trimmed = trimmed - np.float32(offset)
    stored = np.clip(np.rint(trimmed * 32767), -32768, 32767).astype(np.int16)
    buffer = io.BytesIO()
    np.save(buffer, stored)  # np.save to a file on a full disk raises an OSError without errno
    with replacing(Cache.clip_path(cache.folder, key)) as file:
        file.write(buffer.getbuffer())
    if measured:
        lone = -1 if wave.lone_channel is None else wave.lone_channel
        cache.store(measures_key(key), measure(wave.samples, rate_hz)._replace(lone_channel=lone))
    return SoundFacts(
        samples=len(stored),
        rate_hz=rate_hz,
        seconds=wave.source_seconds,
        source_rate_hz=wave.source_rate_hz,
        channels=wave.source_channels,
        loudest_dbfs=round(float(levels.max()), 2) if len(levels) else -120.0,
        clipped_fraction=wave.clipped_fraction,
    )
