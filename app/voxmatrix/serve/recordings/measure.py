"""How loud a take is, how noisy, and what it looks like. Kept in the cache, as what `prepare` measures."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from voxmatrix.dataset.cache import Cache

#: Raise it when the measurements change: they are then taken again.
_VERSION = 1
_RATE_HZ = 16_000
#: Peaks per take: enough for a waveform as wide as a line of a list.
PEAKS = 48
#: Frames of 20 ms, one every 10 ms, at each end, in which nobody should speak yet or still.
_EDGE_FRAMES = 3
#: The percentiles of the levels of all frames that stand for noise and speech, as in voxmatrix.audio.waves.
_NOISE, _SPEECH = 10, 95


class TakeMeasurement(NamedTuple):
    """One take. Levels are of 20 ms, but the peak, which is of single samples."""

    peak_dbfs: float
    speech_dbfs: float
    noise_dbfs: float
    first_dbfs: float  # the loudest of the first and of the last frames
    last_dbfs: float
    peaks: str  # of equal parts, a byte each in hexadecimal: 255 is full scale

    @property
    def heights(self) -> list[float]:
        """The peaks, in 0..1."""
        return [round(value / 255, 3) for value in bytes.fromhex(self.peaks)]


def measurements(cache: Path, paths: Iterable[Path]) -> Mapping[Path, TakeMeasurement]:
    """The measurements of files that `prepare` has read just before; none of those that it could not read."""
    by_name = {str(path): path for path in paths}
    with Cache(cache, measurement=TakeMeasurement) as kept:
        keys = {name: f"{_VERSION}:{sha256}" for name, (_, sha256) in kept.lookup_files(by_name).items()}
        found = kept.lookup(TakeMeasurement, keys.values())
        for name, key in keys.items():
            if key not in found and (made := _measured(by_name[name])) is not None:
                found[key] = made
                kept.store(key, made)
    return {by_name[name]: found[key] for name, key in keys.items() if key in found}


def _measured(path: Path) -> TakeMeasurement | None:
    import numpy as np

    from voxmatrix.audio import load, waves

    try:
        samples = load.read(path, _RATE_HZ).samples
    except load.AudioError:
        return None
    levels = waves.levels_dbfs(samples, _RATE_HZ)
    if not len(levels):
        return None
    noise, speech = np.percentile(levels, (_NOISE, _SPEECH))
    loudest = [float(np.abs(part).max(initial=0.0)) for part in np.array_split(samples, PEAKS)]
    return TakeMeasurement(
        peak_dbfs=round(float(20 * np.log10(max(*loudest, 1e-6))), 1),
        speech_dbfs=round(float(speech), 1),
        noise_dbfs=round(float(noise), 1),
        first_dbfs=round(float(levels[:_EDGE_FRAMES].max()), 1),
        last_dbfs=round(float(levels[-_EDGE_FRAMES:].max()), 1),
        peaks=bytes(min(255, round(255 * value)) for value in loudest).hex(),
    )
