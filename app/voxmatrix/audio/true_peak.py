"""Limit the true peak (ITU-R BS.1770): that of the sound between the samples, which a player reconstructs."""

import numpy as np

from voxmatrix.audio.loudness import limit
from voxmatrix.audio.samples import Samples

#: A true peak is sought between the samples at this many times their rate.
OVERSAMPLING = 4
#: How far it can be above the highest sample in speech. Sound with a lower highest sample is not examined.
MOST_BETWEEN_DB = 6.0
#: What four times the rate may miss (0.69 dB at the very highest frequencies, hardly anything in speech).
_MARGIN_DB = 0.1


def limit_true_peak(samples: Samples, rate_hz: int, ceiling_dbtp: float) -> Samples:
    """Samples (n,) with a true peak of at most `ceiling_dbtp`: the gain is lowered for some milliseconds at peaks."""
    if not len(samples) or float(np.abs(samples).max()) < 10 ** ((ceiling_dbtp - MOST_BETWEEN_DB) / 20):
        return samples
    return limit(samples, rate_hz, ceiling_dbtp - _MARGIN_DB, true_peaks(samples))


def true_peaks(samples: Samples) -> Samples:
    """The largest magnitude at and around each sample, (n,)."""
    import soxr

    dense = np.abs(soxr.resample(samples, 1, OVERSAMPLING))
    whole = np.zeros(len(samples) * OVERSAMPLING, np.float32)
    whole[: len(dense)] = dense[: len(whole)]
    between = whole.reshape(-1, OVERSAMPLING).max(axis=1)
    before = np.concatenate((between[:1], between[:-1]))
    peaks: Samples = np.maximum(np.maximum(between, before), np.abs(samples))
    return peaks
