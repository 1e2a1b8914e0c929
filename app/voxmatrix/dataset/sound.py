"""One recording's bytes → samples in the cache and the facts by which it is judged."""

import hashlib
import io
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from voxmatrix.dataset.cache import Cache

#: Raise it when reading, trimming (voxmatrix.audio.silence) or the facts change: every recording is then done again.
VERSION = "1"
#: Longer files are not decoded, whatever the longest clip may be: their length is enough to refuse them.
READ_SECONDS = 120.0


class SoundFacts(NamedTuple):
    """What one file sounds like, or why it cannot be read."""

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
        """The length that is learned from."""
        return self.samples / self.rate_hz if self.rate_hz else 0.0


@lru_cache(maxsize=1 << 16)
def sound_key(sha256: str, rate_hz: int) -> str:
    """The key of these bytes at this rate."""
    return hashlib.sha256(f"sound {VERSION} {rate_hz} {sha256}".encode()).hexdigest()


def make_sound(path: Path, rate_hz: int, key: str, cache: Cache) -> SoundFacts:
    """Read, trim and store one recording. What is wrong with the file stands in the facts.

    Raises:
        UnreachableError: the cache cannot be written.
    """
    import numpy as np

    from voxmatrix.audio import load, silence
    from voxmatrix.files import replacing

    try:
        wave = load.read(path, rate_hz, max_seconds=READ_SECONDS)
    except load.AudioError as error:
        return SoundFacts(fault=error.fault, problem=error.problem, remedy=error.remedy)
    levels = silence.levels_dbfs(wave.samples, rate_hz)
    trimmed = silence.trim(wave.samples, rate_hz, levels)
    stored = np.clip(np.rint(trimmed * 32767), -32768, 32767).astype(np.int16)
    whole = io.BytesIO()
    np.save(whole, stored)  # into a file, numpy would hide that the disk is full: an OSError without a number
    with replacing(Cache.clip_path(cache.folder, key)) as file:
        file.write(whole.getbuffer())
    return SoundFacts(
        samples=len(stored),
        rate_hz=rate_hz,
        seconds=wave.source_seconds,
        source_rate_hz=wave.source_rate_hz,
        channels=wave.source_channels,
        loudest_dbfs=round(float(levels.max()), 2) if len(levels) else -120.0,
        clipped_fraction=wave.clipped_fraction,
    )
