"""The fundamental frequency of speech, and how periodic it is.

The method that Praat has by default: autocorrelation, and the best path through the candidates of all frames (Boersma
1993, Accurate short-term analysis of the fundamental frequency). Without the path, every tenth frame of a low voice has
the pitch of a formant, or of breath.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import Samples

#: The range of voices, in Hz.
LOWEST_HZ, HIGHEST_HZ = 60.0, 450.0
_HOP_SECONDS = 0.01
#: Periods of the lowest voice in a window.
_PERIODS = 3
#: Candidates of a frame, besides that it is not voiced.
_CANDIDATES = 6
#: Least correlation of a voiced frame with itself a period later, and least amplitude compared with the loudest sample.
_VOICED, _QUIET = 0.45, 0.03
#: What it costs to be an octave lower, to jump by an octave from frame to frame, and to begin or end being voiced.
_OCTAVE, _JUMP, _CHANGE = 0.01, 0.35, 0.14

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Pitch:
    """Measured every 10 ms: (n,) each."""

    hz: _Array  # 0 where not voiced
    harmonicity: _Array  # 0..1: the correlation with the samples of a period later, or of the best lag

    @property
    def voiced(self) -> NDArray[np.bool_]:
        """Where there is a pitch."""
        return self.hz > 0


def pitch(samples: Samples, rate_hz: int) -> Pitch:
    """The pitch of each frame of samples (n,), in Hz; 0 where a frame is unvoiced."""
    shortest, longest = int(rate_hz / HIGHEST_HZ), int(np.ceil(rate_hz / LOWEST_HZ))
    window, hop = _PERIODS * longest, int(rate_hz * _HOP_SECONDS)
    count = max(0, (len(samples) - window) // hop + 1)
    if count == 0:
        return Pitch(np.zeros(0), np.zeros(0))
    places = np.arange(count)[:, None] * hop + np.arange(window)
    frames = samples.astype(np.float64)[places]
    frames = frames - frames.mean(1, keepdims=True)
    correlation = _correlation(frames, longest + 1)
    lags = _best_peaks(correlation, shortest)  # (count, _CANDIDATES)
    refined, strength = _refined(correlation, lags)
    hz = rate_hz / refined
    scores = np.where(lags > 0, strength - _OCTAVE * np.log2(HIGHEST_HZ / hz), -np.inf)
    loudness = np.abs(frames).max(1) / max(np.abs(samples).max(), 1e-9)
    unvoiced = _VOICED + np.maximum(0.0, 2 - loudness * (1 + _VOICED) / _QUIET)
    path = _best_path(np.column_stack([unvoiced, scores]), np.column_stack([np.ones(count), hz]))
    chosen = np.arange(count), np.maximum(path - 1, 0)
    return Pitch(
        hz=np.where(path > 0, hz[chosen], 0.0),
        harmonicity=np.where(lags[chosen] > 0, np.clip(strength[chosen], 0, 1), 0.0),
    )


def _correlation(frames: _Array, lags: int) -> _Array:
    """The correlation of each frame with itself at every lag below `lags`, without the window's part in it."""
    window = np.hanning(frames.shape[1] + 2)[1:-1]
    of_frames, of_window = (_self_correlation(one, lags) for one in (frames * window, window[None]))
    correlation: _Array = of_frames / of_window
    return correlation


def _self_correlation(frames: _Array, lags: int) -> _Array:
    size = 1 << (2 * frames.shape[1] - 1).bit_length()
    products: _Array = np.fft.irfft(np.square(np.abs(np.fft.rfft(frames, size))), size)[:, :lags]
    return products / np.maximum(products[:, :1], 1e-12)


def _best_peaks(correlation: _Array, shortest: int) -> NDArray[np.int64]:
    """The lags of the highest peaks of each frame; 0 where there are no more."""
    inner = correlation[:, 1:-1]
    peak = (inner > correlation[:, :-2]) & (inner >= correlation[:, 2:])
    peak[:, : shortest - 1] = False
    heights = np.where(peak, inner, -np.inf)
    best = np.argsort(-heights, 1)[:, :_CANDIDATES]
    return np.where(np.isfinite(np.take_along_axis(heights, best, 1)), best + 1, 0)


def _refined(correlation: _Array, lags: NDArray[np.int64]) -> tuple[_Array, _Array]:
    """The places and heights of peaks between two lags, by a parabola through three points."""
    inner = np.clip(lags, 1, correlation.shape[1] - 2)
    before, at, after = (np.take_along_axis(correlation, inner + step, 1) for step in (-1, 0, 1))
    bend = np.minimum(before - 2 * at + after, -1e-12)
    shift = np.clip(0.5 * (before - after) / bend, -0.5, 0.5)
    return inner + shift, at - 0.25 * (before - after) * shift


def _best_path(scores: _Array, hz: _Array) -> NDArray[np.int64]:
    """The candidate of each frame on the path with the highest sum of scores (n, k), less what its changes cost.

    Candidate 0 is not voiced.
    """
    octaves = np.log2(hz)
    voiced = np.arange(scores.shape[1]) > 0
    change = _CHANGE * (voiced[:, None] != voiced)
    both = voiced[:, None] & voiced
    total, came_from = scores[0], []
    for (before, now), score in zip(pairwise(octaves), scores[1:], strict=True):
        reached = total[:, None] - change - _JUMP * both * np.abs(before[:, None] - now)
        came_from.append(reached.argmax(0))
        total = reached.max(0) + score
    path = [int(total.argmax())]
    for back in reversed(came_from):
        path.append(int(back[path[-1]]))
    return np.array(path[::-1])
