"""Faults of microphones, rooms and files that can be seen in the samples."""

import math

import numpy as np
from numpy.typing import NDArray

from voxmatrix.audio.measures.frames import Frames
from voxmatrix.audio.pitch import HIGHEST_HZ, LOWEST_HZ
from voxmatrix.audio.waves import HOP_SECONDS, Samples, runs

#: Hum is searched for in samples of about this rate, in parts of this length.
_HUM_RATE_HZ, _HUM_SECONDS = 1400, 0.5
_MAINS_HZ = (50.0, 60.0)
#: The first is in all hum, or else the second and the third: a monotonous voice may have the pitch of one alone.
_HARMONICS = (1, 2, 3, 4)
#: Bins beside a line that are compared with it, and how far it must stand above them.
_BESIDE_HZ, _LINE_DB = (6.0, 10.0), 12.0
#: Lines and floors are those of the quieter parts: hum does not pause, and speech does.
_QUIET_PERCENT = 15

#: The spectrum ends where it falls by so much, compared with all above.
_EDGE_DB = 22.0
_EDGE_BAND_HZ = 250.0
_LOUD_PERCENT = 97.0

#: Fading is seen over so many frames, from those so near the loud ones; the fastest one is this percentile of all.
_SLOPE_FRAMES, _SLOPE_BELOW_DB, _SLOPE_PERCENT = 10, 15.0, 99.0

#: A click: the bend of the wave is so many times that of the samples around it.
_CLICK_TIMES = 25.0
_CLICK_SECONDS, _CLICK_GAP_SECONDS = 0.005, 0.05
_LEAST_CLICK = 0.02

#: Samples in a row so near the highest, or the lowest, are the flat top of a clipped wave.
_TOP, _TOP_SAMPLES = 0.995, 3

_PITCH_RATE_HZ, _PITCH_FRAMES, _PITCH_SECONDS = 5500, 80, 0.04
_VOICED = 0.6


def hum(samples: Samples, rate_hz: int) -> tuple[float, float]:
    """The frequency of the mains whose hum is in samples (n,) without an offset, and its level in dBFS; 0 Hz: none."""
    step = max(1, round(rate_hz / _HUM_RATE_HZ))
    low = samples[: len(samples) // step * step].reshape(-1, step).mean(1)
    size = round(_HUM_SECONDS * rate_hz / step)
    if len(low) < size:
        return 0.0, -120.0
    window = np.hanning(size)
    parts = np.lib.stride_tricks.sliding_window_view(low, size)[:: size // 2]
    power = np.square(np.abs(np.fft.rfft(parts * window))) / np.square(window.sum() / 2) / 2
    quiet = np.percentile(power, _QUIET_PERCENT, axis=0)
    hz = np.fft.rfftfreq(size, step / rate_hz)
    for mains in _MAINS_HZ:
        lines = [_line_dbfs(quiet, hz, mains * harmonic) for harmonic in _HARMONICS]
        if lines[0] is not None or (lines[1] is not None and lines[2] is not None):
            return mains, max(line for line in lines if line is not None)
    return 0.0, -120.0


def _line_dbfs(power: NDArray[np.floating], hz: NDArray[np.floating], at_hz: float) -> float | None:
    """The level of a line of the spectrum in dBFS; None if nothing stands out there."""
    distance = np.abs(hz - at_hz)
    line = float(power[distance <= hz[1]].max())
    beside = float(power[(distance >= _BESIDE_HZ[0]) & (distance <= _BESIDE_HZ[1])].max())
    return 10 * math.log10(max(line, 1e-12)) if line > beside * 10 ** (_LINE_DB / 10) else None


def band_edge_hz(frames: Frames) -> float:
    """Where the spectrum of speech ends: a fall, above which nothing is left."""
    width = max(1, round(_EDGE_BAND_HZ / frames.bin_hz))
    inside = frames.power[frames.start : frames.end]
    count = inside.shape[1] // width
    bands = inside[:, : count * width].reshape(len(inside), count, width).mean(2)
    loud = 10 * np.log10(np.maximum(np.percentile(bands, _LOUD_PERCENT, axis=0), 1e-15))
    above = np.maximum.accumulate(loud[::-1])[::-1]
    for band in range(2, count - 2):
        if loud[band] - above[band + 2] >= _EDGE_DB:
            return float((band + 1.5) * width * frames.bin_hz)
    return float(count * width * frames.bin_hz)


def decay_db_per_second(frames: Frames) -> float:
    """How fast the fastest fading of speech is: a room that echoes has no faster one than its own."""
    levels = frames.levels_dbfs[frames.start :].astype(np.float64)
    if len(levels) <= _SLOPE_FRAMES:
        return 0.0
    fall = levels[:-_SLOPE_FRAMES] - levels[_SLOPE_FRAMES:]
    far = levels[:-_SLOPE_FRAMES] >= frames.loud_dbfs - _SLOPE_BELOW_DB
    if not far.any():
        return 0.0
    return float(np.percentile(fall[far], _SLOPE_PERCENT)) / (_SLOPE_FRAMES * HOP_SECONDS)


def click(samples: Samples, rate_hz: int) -> tuple[float, int]:
    """Where the first click is, in seconds (-1: nowhere), and how many there are."""
    size = max(2, round(_CLICK_SECONDS * rate_hz))
    bend = np.abs(np.diff(samples, 2))
    count = len(bend) // size
    if count < 3:
        return -1.0, 0
    peaks = bend[: count * size].reshape(count, size).max(1)
    gap = round(_CLICK_GAP_SECONDS / _CLICK_SECONDS)
    padded = np.pad(peaks, gap + 1, mode="constant")
    around = np.maximum(*(_highest(padded, gap)[offset : offset + count] for offset in (0, gap + 2)))
    found = runs((peaks > _CLICK_TIMES * around) & (peaks > _LEAST_CLICK), 1)
    return (found[0][0] * _CLICK_SECONDS, len(found)) if found else (-1.0, 0)


def _highest(values: NDArray[np.float32], size: int) -> NDArray[np.float32]:
    highest: NDArray[np.float32] = np.lib.stride_tricks.sliding_window_view(values, size).max(1)
    return highest


def flat_tops(samples: Samples) -> int:
    """How many waves have a flat top at the peak of samples (n,): they were clipped, at whatever level they are now."""
    return sum(len(runs(side >= _TOP * side.max(), _TOP_SAMPLES)) for side in (samples, -samples))


def voice_hz(samples: Samples, rate_hz: int, frames: Frames) -> float:
    """The median pitch of the loud frames, by their autocorrelation; 0 where none has a pitch."""
    step = max(1, round(rate_hz / _PITCH_RATE_HZ))
    rate = rate_hz / step
    size = round(_PITCH_SECONDS * rate)
    low = samples[: len(samples) // step * step].reshape(-1, step).mean(1)
    loud = np.flatnonzero(frames.levels_dbfs >= frames.loud_dbfs - 12.0)
    places = np.round(loud * HOP_SECONDS * rate).astype(int)
    places = places[places + size <= len(low)]
    if not len(places):
        return 0.0
    places = places[np.linspace(0, len(places) - 1, min(len(places), _PITCH_FRAMES)).astype(int)]
    parts = low[places[:, None] + np.arange(size)] * np.hanning(size + 2)[1:-1]
    parts -= parts.mean(1, keepdims=True)
    alike = _self_correlation(parts) / _self_correlation(np.hanning(size + 2)[None, 1:-1])
    shortest, longest = int(rate / HIGHEST_HZ), min(int(rate / LOWEST_HZ) + 1, int(0.7 * size))
    inner = alike[:, shortest:longest]
    inner = inner * np.linspace(1, 0.9, inner.shape[1])  # of two octaves, the higher one
    voiced = inner.max(1) > _VOICED
    return float(np.median(rate / (shortest + inner.argmax(1)[voiced]))) if voiced.any() else 0.0


def _self_correlation(parts: NDArray[np.float64]) -> NDArray[np.float64]:
    size = 1 << (2 * parts.shape[1] - 1).bit_length()
    products = np.fft.irfft(np.square(np.abs(np.fft.rfft(parts, size))), size)[:, : parts.shape[1]]
    correlation: NDArray[np.float64] = products / np.maximum(products[:, :1], 1e-12)
    return correlation
