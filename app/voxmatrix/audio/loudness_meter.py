"""Measure loudness and limit the true peak as EBU R128 and ITU-R BS.1770 define them.

The filter of BS.1770 is applied to spectra: in Python, sample by sample, it would take longer than the speech. The true
peak is that of the sound between the samples, which a player reconstructs. It is computed only where a peak can matter:
to resample all of an audiobook takes six times as long.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.loudness import limit
from voxmatrix.audio.waves import Samples

#: Loudness of 400 ms, in LUFS, for every 100 ms of a sound.
Momentary = npt.NDArray[np.float64]
#: The mean square of the filtered sound, where full scale is 1, of every 100 ms; the last one with silence behind it.
Powers = npt.NDArray[np.float64]
#: The absolute gate: what is below is silence. Also the loudness of a sound of nothing but silence.
SILENT_LUFS = -70.0
#: The relative gate: blocks this far below the mean are pauses.
GATE_LU = 10.0
BLOCKS_A_SECOND = 10
#: Blocks in the window of 400 ms.
WINDOW = 4
WINDOW_SECONDS = WINDOW / BLOCKS_A_SECOND
_OFFSET = 0.691  # of the formula in BS.1770
#: The filter of BS.1770-5 for 48 kHz, (numerator, denominator): a shelf for the head, then a high-pass.
_FILTER_HZ = 48000
_FILTER = (
    ((1.53512485958697, -2.69169618940638, 1.19839281085285), (1.0, -1.69065929318241, 0.73248077421585)),
    ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621)),
)
#: Blocks that are filtered at once; one more in front of them, after which the filter has forgotten what was before.
_FILTERED = 10
#: Rows of such blocks that are in memory at once.
_ROWS = 60


def integrated_lufs(momentary: Momentary) -> float:
    """The loudness of a whole sound, both gates applied; SILENT_LUFS for silence."""
    heard = momentary[momentary > SILENT_LUFS]
    if not len(heard):
        return SILENT_LUFS
    power = 10 ** ((heard + _OFFSET) / 10)
    gate = power.mean() * 10 ** (-GATE_LU / 10)
    return float(10 * np.log10(power[power > gate].mean()) - _OFFSET)


@dataclass(frozen=True)
class MeasuredSound:
    """The momentary loudness of one of several sounds."""

    alone: Momentary  # as if nothing was around it: only windows that are full of it
    heard: Momentary  # every window that ends in it or in the pause behind it


def measure_sounds(sounds: Sequence[tuple[Powers, int, int]], rate_hz: int) -> list[MeasuredSound]:
    """Measure sounds by their powers and samples, each with the samples of the pause behind it.

    A sound starts on the grid of 100 ms, so a pause is at least that long, and a little longer than given. A sound
    that is shorter than a window counts as one, with silence behind it.
    """
    block = _block(rate_hz)
    powers = [np.zeros(WINDOW)]  # of all blocks; in front of the first sound there is silence
    spans: list[tuple[int, int, int]] = []  # in blocks: start, end of what is full of it, end of the pause
    at = WINDOW
    for heard, samples, pause in sounds:
        blocks = max(WINDOW, len(heard)) + max(1, -(-pause // block))
        powers += [heard, np.zeros(blocks - len(heard))]
        spans.append((at, at + max(WINDOW, samples // block), at + blocks))
        at += blocks
    windows = np.lib.stride_tricks.sliding_window_view(np.concatenate(powers), WINDOW).mean(axis=1)
    with np.errstate(divide="ignore"):
        loudness = np.maximum(10 * np.log10(windows) - _OFFSET, SILENT_LUFS)
    measured: Momentary = np.concatenate((np.full(WINDOW - 1, SILENT_LUFS), loudness))
    return [MeasuredSound(measured[start + WINDOW - 1 : full], measured[start:end]) for start, full, end in spans]


def sound_powers(sound: npt.NDArray[np.int16], rate_hz: int) -> Powers:
    """The powers of a sound (samples,)."""
    block = _block(rate_hz)
    row, step = (_FILTERED + 1) * block, _FILTERED * block
    count = -(-len(sound) // step)
    padded = np.zeros(block + count * step)
    padded[block : block + len(sound)] = sound / np.float64(2**15)
    rows = np.lib.stride_tricks.sliding_window_view(padded, row)[::step] if count else padded[:0].reshape(0, row)
    powers = [padded[:0]]
    for first in range(0, count, _ROWS):
        spectra = np.fft.rfft(rows[first : first + _ROWS]) * _response(row, rate_hz)
        filtered = np.fft.irfft(spectra, row)[:, block:].reshape(-1, block)
        powers.append(np.einsum("ij,ij->i", filtered, filtered) / block)
    return np.concatenate(powers)[: -(-len(sound) // block)]


def _block(rate_hz: int) -> int:
    return max(1, rate_hz // BLOCKS_A_SECOND)


@cache
def _response(samples: int, rate_hz: int) -> npt.NDArray[np.complex128]:
    """What the filter does to each frequency of this many samples; above those of 48 kHz, as to the highest one."""
    frequencies = np.minimum(np.fft.rfftfreq(samples, 1 / rate_hz), _FILTER_HZ / 2)
    delay = np.exp(-2j * np.pi * frequencies / _FILTER_HZ)
    response: npt.NDArray[np.complex128] = np.ones(len(delay), np.complex128)
    for numerator, denominator in _FILTER:
        response *= np.polyval(numerator[::-1], delay) / np.polyval(denominator[::-1], delay)
    return response


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
