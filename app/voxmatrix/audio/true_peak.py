"""Limit the true peak (ITU-R BS.1770): that of the sound between the samples, which a player reconstructs.

It is computed only where a peak can matter: to resample all of an audiobook takes six times as long.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.loudness import limit
from voxmatrix.audio.samples import Samples

#: A true peak is sought between the samples at this many times their rate.
OVERSAMPLING = 4
#: How far it can be above the samples beside it in speech. It is not sought beside lower ones.
MAX_BETWEEN_DB = 6.0
#: What four times the rate may miss (0.69 dB at the very highest frequencies, hardly anything in speech).
_MARGIN_DB = 0.1
#: Samples on either side that a point between two samples is computed from.
_REACH = 12
#: The shape of the window: 50 dB less of what is above half the rate.
_KAISER = 5.0


def limit_true_peak(samples: Samples, rate_hz: int, ceiling_dbtp: float) -> Samples:
    """Samples (n,) with a true peak of at most `ceiling_dbtp`: the gain is lowered for some milliseconds at peaks."""
    least = 10 ** ((ceiling_dbtp - MAX_BETWEEN_DB) / 20)
    if not len(samples) or float(np.abs(samples).max()) < least:
        return samples
    return limit(samples, rate_hz, ceiling_dbtp - _MARGIN_DB, true_peaks(samples, least))


def true_peaks(samples: Samples, least: float = 0.0) -> Samples:
    """The largest magnitude at and around each sample, (n,); around those below `least`, that of the sample alone."""
    peaks: Samples = np.abs(samples)
    loud = np.flatnonzero(peaks >= least)
    before = np.union1d(loud, np.maximum(loud - 1, 0))  # the samples in front of the points
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(samples, (_REACH - 1, _REACH)), 2 * _REACH)
    between = np.abs(windows[before] @ _points()).max(axis=1)
    peaks[before] = np.maximum(peaks[before], between)
    behind = before + 1 < len(peaks)
    after = before[behind] + 1
    peaks[after] = np.maximum(peaks[after], between[behind])
    return peaks


@cache
def _points() -> npt.NDArray[np.float32]:
    """The weights of the samples around, for each point between two of them: (2 * _REACH, OVERSAMPLING - 1)."""
    places = np.arange(1, OVERSAMPLING) / OVERSAMPLING
    distance = np.arange(1 - _REACH, _REACH + 1)[:, None] - places
    window = np.i0(_KAISER * np.sqrt(1 - (distance / _REACH) ** 2)) / np.i0(_KAISER)
    weights = np.sinc(distance) * window
    scaled: npt.NDArray[np.float32] = (weights / weights.sum(axis=0)).astype(np.float32)
    return scaled
