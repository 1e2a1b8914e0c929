"""Measure loudness as EBU R128 and ITU-R BS.1770 define it, with ffmpeg's filter `ebur128`."""

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.ffmpeg_feed import fed_ffmpeg, samples_input
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
