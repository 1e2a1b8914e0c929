"""Measure loudness and limit the true peak as EBU R128 and ITU-R BS.1770 define them.

Loudness comes from ffmpeg's filter `ebur128`. The true peak is that of the sound between the samples, which a player
reconstructs. It is computed only where a peak can matter: to resample all of an audiobook takes six times as long.
"""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.ffmpeg import fed_ffmpeg, samples_input
from voxmatrix.audio.loudness import limit
from voxmatrix.audio.waves import Samples
from voxmatrix.errors import VoxmatrixError

#: Loudness of 400 ms, in LUFS, for every 100 ms of a sound.
Momentary = npt.NDArray[np.float64]
#: The absolute gate: what is below is silence. Also the loudness of a sound of nothing but silence.
SILENT_LUFS = -70.0
#: The relative gate: blocks this far below the mean are pauses.
GATE_LU = 10.0
BLOCKS_A_SECOND = 10
#: Blocks in the window of 400 ms.
WINDOW = 4
WINDOW_SECONDS = WINDOW / BLOCKS_A_SECOND
_OFFSET = 0.691  # of the formula in BS.1770
_KEY = "lavfi.r128.M"


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


def measure_sounds(sounds: Iterable[tuple[npt.NDArray[np.int16], int]], rate_hz: int) -> list[MeasuredSound]:
    """Measure sounds (samples,), each with the samples of the pause behind it. They are read one by one.

    A sound starts on the grid of 100 ms, so a pause is at least that long, and a little longer than given. A sound
    that is shorter than a window counts as one, with silence behind it.

    Raises:
        MissingProgramError: ffmpeg is not installed.
        VoxmatrixError: ffmpeg was killed.
    """
    block = max(1, rate_hz // BLOCKS_A_SECOND)
    spans: list[tuple[int, int, int]] = []  # in blocks: start, end of what is full of it, end of the pause
    at = WINDOW  # of silence: ffmpeg's first windows are shorter
    arguments = ["-af", f"ebur128=metadata=1,ametadata=mode=print:key={_KEY}:file=-", "-f", "null", "-"]
    with tempfile.TemporaryFile() as output:
        with fed_ffmpeg(samples_input(rate_hz), arguments, Path("the loudness"), output) as send:
            send(bytes(2 * at * block))
            for sound, pause in sounds:
                # In one block of silence, ffmpeg's filter forgets the sound.
                blocks = max(WINDOW, -(-len(sound) // block)) + max(1, -(-pause // block))
                send(sound.astype("<i2", copy=False).tobytes())
                send(bytes(2 * (blocks * block - len(sound))))
                spans.append((at, at + max(WINDOW, len(sound) // block), at + blocks))
                at += blocks
        measured = _read(output)
    if len(measured) < at - 1:
        raise VoxmatrixError("ffmpeg measured only a part of the loudness", "run the same command again")
    return [MeasuredSound(measured[start + WINDOW - 1 : full], measured[start:end]) for start, full, end in spans]


def _read(output: IO[bytes]) -> Momentary:
    output.seek(0)
    start = f"{_KEY}=".encode()
    values = (float(line[len(start) :]) for line in output if line.startswith(start))
    return np.nan_to_num(np.fromiter(values, np.float64), nan=SILENT_LUFS, neginf=SILENT_LUFS)


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
