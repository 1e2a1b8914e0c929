"""The fundamental frequency of speech, and how periodic it is, by normalised cross-correlation."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.samples import Samples

#: The range of voices, in Hz.
LOWEST_HZ, HIGHEST_HZ = 60.0, 450.0
_HOP_SECONDS = 0.01
#: Quieter frames, compared with the loudest one, have no pitch worth measuring.
_QUIET = 0.02
#: Least correlation of a voiced frame with itself a period later.
_VOICED = 0.5
#: Multiples of a period correlate as well: the first lag that is nearly as good as the best one is the period.
_NEARLY = 0.9


@dataclass(frozen=True)
class Pitch:
    """Measured every 10 ms: (n,) each."""

    hz: NDArray[np.float64]
    harmonicity: NDArray[np.float64]  # 0..1: the correlation with the samples of a period later
    voiced: NDArray[np.bool_]


def pitch(samples: Samples, rate_hz: int) -> Pitch:
    """Measure samples (n,)."""
    shortest, longest = int(rate_hz / HIGHEST_HZ), int(np.ceil(rate_hz / LOWEST_HZ))
    window, hop = longest, int(rate_hz * _HOP_SECONDS)
    count = max(0, (len(samples) - window - longest) // hop + 1)
    if count == 0:
        return Pitch(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.bool_))
    places = np.arange(count)[:, None] * hop + np.arange(window + longest)
    frames = samples.astype(np.float64)[places]
    frames = frames - frames.mean(1, keepdims=True)
    correlation = _correlation(frames, window, longest)  # (count, longest + 1), by lag
    searched = correlation[:, shortest:]
    best = searched.max(1)
    lags = shortest + np.argmax(_is_peak(searched) & (searched >= _NEARLY * best[:, None]), 1)
    loud = np.sqrt(np.square(frames).mean(1))
    return Pitch(
        hz=rate_hz / _refined(correlation, lags),
        harmonicity=np.clip(best, 0, 1),
        voiced=(best > _VOICED) & (loud > _QUIET * loud.max()),
    )


def _correlation(frames: NDArray[np.float64], window: int, longest: int) -> NDArray[np.float64]:
    """The correlation of the beginning of each frame with itself at every lag, normalised by the energy of both."""
    size = 1 << (frames.shape[1] + window - 1).bit_length()
    beginning = np.fft.rfft(frames[:, :window], size)
    products = np.fft.irfft(np.conj(beginning) * np.fft.rfft(frames, size), size)[:, : longest + 1]
    sums = np.cumsum(np.pad(np.square(frames), ((0, 0), (1, 0))), 1)
    energies = sums[:, window : window + longest + 1] - sums[:, : longest + 1]
    correlation: NDArray[np.float64] = products / np.sqrt(np.maximum(energies[:, :1] * energies, 1e-12))
    return correlation


def _is_peak(correlation: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a lag is not worse than its neighbours; the ends count too."""
    padded = np.pad(correlation, ((0, 0), (1, 1)), constant_values=-np.inf)
    peak: NDArray[np.bool_] = (correlation >= padded[:, :-2]) & (correlation >= padded[:, 2:])
    return peak


def _refined(correlation: NDArray[np.float64], lags: NDArray[np.int64]) -> NDArray[np.float64]:
    """The lags of the peaks between two samples, by a parabola through three of them."""
    inner = np.clip(lags, 1, correlation.shape[1] - 2)
    rows = np.arange(len(lags))
    before, at, after = (correlation[rows, inner + step] for step in (-1, 0, 1))
    bend = before - 2 * at + after
    shift = np.where(bend < -1e-12, 0.5 * (before - after) / np.minimum(bend, -1e-12), 0.0)
    refined: NDArray[np.float64] = np.where(lags == inner, inner + np.clip(shift, -0.5, 0.5), lags)
    return refined
