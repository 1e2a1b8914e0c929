"""Level the loudness of sentences: measure the speech without its pauses, apply a gain, limit the peaks."""

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.waves import Samples

TARGET_DBFS = -20.0
CEILING_DBFS = -1.0
#: Frames this far below the loudest one are pauses and are not measured.
GATE_DB = 25.0
#: A sentence below this level is silence.
SILENT_DBFS = -60.0
MAX_GAIN_DB = 24.0
#: Less speech than this is too little to measure: the gain of the previous sentences is blended in.
RELIABLE_SECONDS = 0.4
#: This much speech from the beginning of a sentence tells its loudness (tiny voice, 30 sentences of 8 to 11 s: 0.3 dB
#: standard deviation, 0.7 dB at most; 1 s: 0.6 and 1.3 dB).
HEAD_SECONDS = 1.5
#: Weight of each new sentence in the running gain.
SMOOTHING = 0.3
FRAME_SECONDS = 0.02
LIMITER_SECONDS = 0.001
#: Frames that are squared at once, which stay in the cache of a CPU.
_FRAMES_AT_ONCE = 64


def speech_level_dbfs(samples: Samples, rate_hz: int) -> tuple[float, float]:
    """RMS level of the speech (frames within 25 dB of the loudest) and its duration in seconds."""
    return level_of(frame_powers(samples, rate_hz))


def frame_powers(samples: Samples, rate_hz: int) -> NDArray[np.float64]:
    """The mean square of each whole frame of FRAME_SECONDS: (frames,)."""
    frame = round(FRAME_SECONDS * rate_hz)
    powers = np.empty(len(samples) // frame)
    frames = samples[: len(powers) * frame].reshape(-1, frame)
    for first in range(0, len(powers), _FRAMES_AT_ONCE):
        squares = frames[first : first + _FRAMES_AT_ONCE].astype(np.float64)
        np.square(squares, out=squares)
        squares.mean(axis=1, out=powers[first : first + _FRAMES_AT_ONCE])
    return powers


def level_of(power: NDArray[np.float64]) -> tuple[float, float]:
    """`speech_level_dbfs` by the power of each frame."""
    loudest = float(power.max(initial=0.0))
    if loudest <= 10 ** (SILENT_DBFS / 10):
        return -np.inf, 0.0
    active = power[power >= loudest * 10 ** (-GATE_DB / 10)]
    return 10 * float(np.log10(active.mean())), len(active) * FRAME_SECONDS


class Leveller:
    """Bring consecutive sentences to TARGET_DBFS, with peaks below CEILING_DBFS.

    Short and silent sentences use the gain of those before them. So does a sentence of which only a short beginning is
    there.
    """

    def __init__(self, rate_hz: int, gain_db: float | None = None) -> None:
        """`gain_db` is that of the sentences before, if there are any."""
        self._rate_hz = rate_hz
        self.gain_db = gain_db
        self._applied_db = 0.0

    def level(self, samples: Samples, *, begins: bool = True, whole: bool = True) -> Samples:
        """The next sentence, or a part of one, at the target level.

        What does not begin a sentence has the gain of the samples before it.
        """
        gain_db = self._next_gain_db(samples, RELIABLE_SECONDS if whole else HEAD_SECONDS)
        if begins:
            self._applied_db = gain_db
        return limit(samples * np.float32(10 ** (self._applied_db / 20)), self._rate_hz)

    def _next_gain_db(self, samples: Samples, reliable_seconds: float) -> float:
        measured, seconds = speech_level_dbfs(samples, self._rate_hz)
        if not np.isfinite(measured):
            return self.gain_db or 0.0
        own = float(np.clip(TARGET_DBFS - measured, -MAX_GAIN_DB, MAX_GAIN_DB))
        if self.gain_db is None:
            self.gain_db = own
            return own
        confidence = min(1.0, seconds / reliable_seconds)
        gain_db = confidence * own + (1 - confidence) * self.gain_db
        self.gain_db += SMOOTHING * confidence * (own - self.gain_db)
        return gain_db


def limit(samples: Samples, rate_hz: int, ceiling_dbfs: float = CEILING_DBFS, peaks: Samples | None = None) -> Samples:
    """Lower the gain from a millisecond before to a millisecond after each peak, so that none exceeds the ceiling.

    `peaks` (n,) are the magnitudes to be limited; without them, those of the samples.
    """
    ceiling = 10 ** (ceiling_dbfs / 20)
    magnitudes = np.abs(samples) if peaks is None else peaks
    if not len(samples) or float(magnitudes.max()) <= ceiling:
        return samples
    block = max(1, round(LIMITER_SECONDS * rate_hz))
    padded = np.zeros(-(-len(samples) // block) * block, np.float32)
    padded[: len(samples)] = magnitudes
    needed = np.minimum(1.0, ceiling / np.maximum(padded.reshape(-1, block).max(axis=1), ceiling))
    around = np.concatenate(([1.0], needed, [1.0]))
    # The minimum over each block and its neighbours: interpolated between block centres, it never exceeds what a
    # block needs.
    lowest = np.minimum(np.minimum(around[:-2], around[1:-1]), around[2:])
    centres = (np.arange(len(lowest)) + 0.5) * block
    near = lowest < 1.0
    near = np.repeat(near | np.append(near[1:], False) | np.insert(near[:-1], 0, False), block)[: len(samples)]
    places = np.flatnonzero(near)  # the gain of all others is 1
    gain = np.interp(places + 0.5, centres, lowest)
    limited: Samples = samples.astype(np.float32)
    limited[places] = np.clip(samples[places] * gain, -ceiling, ceiling)
    return limited
