"""The loudness of every sentence, and the gain that brings each chapter to the loudness of an audiobook.

Each chapter is measured as a whole and has one gain: quiet and loud sentences stay as they were spoken. It is not
measured over the book, so that a chapter sounds the same while the rest is still being made, and a sentence that is
spoken again changes no other chapter.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voxmatrix.audio.loudness_meter import SILENT_LUFS, WINDOW_SECONDS, MeasuredSound, integrated_lufs, measure_sounds
from voxmatrix.book.join.sound.speech import read_speech
from voxmatrix.book.join.timeline import Timeline
from voxmatrix.progress import OnProgress

#: The usual loudness of audiobooks and podcasts in mono.
TARGET_LUFS = -18.0
#: Speech that is further away is damaged rather than quiet.
MOST_GAIN_DB = 24.0


@dataclass(frozen=True)
class Levels:
    """Loudness and gains of the speech in a timeline."""

    sentences_lufs: tuple[float, ...]  # as spoken, without gain, in the order of the timeline
    gains_db: tuple[float, ...]  # one per chapter


def measure(line: Timeline, on_progress: OnProgress = lambda done, total: None) -> Levels:
    """Read and verify every sentence of the timeline, and measure it.

    Raises:
        BadInputError: the file of a sentence is missing.
        DamagedFileError: the file of a sentence is not what was promised.
        MissingProgramError: ffmpeg is not installed.
    """
    measured = measure_sounds(_sounds(line, on_progress), line.rate_hz)
    gains: list[float] = []
    at = 0
    for chapter in line.chapters:
        gains.append(_gain_db(measured[at : at + len(chapter.sentences)]))
        at += len(chapter.sentences)
    return Levels(tuple(round(integrated_lufs(one.alone), 2) for one in measured), tuple(gains))


def _sounds(line: Timeline, on_progress: OnProgress) -> Iterator[tuple[npt.NDArray[np.int16], int]]:
    total, done = len(line.sentences), 0
    for chapter in line.chapters:
        for sentence in chapter.sentences:
            pause = sentence.pause_end - sentence.end
            # No window reaches from one chapter into the next.
            least = round(WINDOW_SECONDS * line.rate_hz) if sentence is chapter.sentences[-1] else 0
            yield read_speech(sentence.spoken), max(pause, least)
            done += 1
            on_progress(done, total)


def _gain_db(measured: list[MeasuredSound]) -> float:
    """The gain of a chapter, rounded, so that it does not depend on the last bits of a measurement."""
    loudness = integrated_lufs(np.concatenate([one.heard for one in measured])) if measured else SILENT_LUFS
    if loudness <= SILENT_LUFS:
        return 0.0
    return round(float(np.clip(TARGET_LUFS - loudness, -MOST_GAIN_DB, MOST_GAIN_DB)), 2)
