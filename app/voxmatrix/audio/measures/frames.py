"""The frames of a recording: their levels, where somebody speaks, and what is quiet."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import HOP_SECONDS, Samples, spoken_frames

#: Lower frequencies than those of speech are not counted in levels: hum and rumble are measured on their own.
_LOWEST_HZ = 120.0
_WINDOW_SECONDS = 0.023
#: Frames whose spectra are computed at once, which bounds the memory.
_BLOCK = 1024
_QUIETEST_FRAMES = 10
_FLOOR_DBFS = -120.0
#: Speech is at most so far below the loud parts, and at least so far above the noise, as `waves.trim` has it.
_RANGE_DB, _ABOVE_NOISE_DB, _MIN_RANGE_DB = 40.0, 8.0, 20.0


class Frames(NamedTuple):
    """Every 10 ms of a recording. Levels are of `power` above 120 Hz."""

    power: NDArray[np.float32]  # (n, bins)
    levels_dbfs: NDArray[np.float32]  # (n,)
    bin_hz: float
    loud_dbfs: float  # the 95th percentile
    noise_dbfs: float  # the quietest tenth of a second
    start: int  # the first frame of speech, and the frame after the last one
    end: int

    @property
    def threshold_dbfs(self) -> float:
        """The level from which a frame is speech."""
        return _threshold(self.loud_dbfs, self.noise_dbfs)


def frames_of(samples: Samples, rate_hz: int) -> Frames:
    """The frames of samples (n,), which have at least one window."""
    hop, size = round(HOP_SECONDS * rate_hz), 2 * round(_WINDOW_SECONDS * rate_hz / 2)
    window = np.hanning(size).astype(np.float32)
    window /= np.sqrt(np.square(window).sum() * size / 2)  # the powers of the bins add up to that of the samples
    views = np.lib.stride_tricks.sliding_window_view(samples, size)[::hop]
    power = np.empty((len(views), size // 2 + 1), np.float32)
    for first in range(0, len(views), _BLOCK):
        spectrum = np.fft.rfft(views[first : first + _BLOCK] * window)
        power[first : first + _BLOCK] = np.square(spectrum.real) + np.square(spectrum.imag)
    bin_hz = rate_hz / size
    total = power[:, round(_LOWEST_HZ / bin_hz) :].sum(1, dtype=np.float32)
    levels = 10 * np.log10(np.maximum(total, 10 ** (_FLOOR_DBFS / 10)))
    loud = float(np.percentile(levels, 95))
    size = min(_QUIETEST_FRAMES, len(levels))
    smooth = np.convolve(10 ** (levels.astype(np.float64) / 10), np.full(size, 1 / size), "valid")
    noise = float(10 * np.log10(smooth.min()))
    start, last = spoken_frames(levels, loud, _threshold(loud, noise)) or (0, len(levels) - 1)
    return Frames(power, levels, bin_hz, loud, noise, start, last + 1)


def _threshold(loud: float, noise: float) -> float:
    return max(loud - _RANGE_DB, min(noise + _ABOVE_NOISE_DB, loud - _MIN_RANGE_DB))
