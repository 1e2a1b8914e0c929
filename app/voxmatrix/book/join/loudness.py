"""The loudness of every sentence, and the gain that brings each chapter to the loudness of an audiobook.

Each chapter is measured as a whole and has one gain: quiet and loud sentences stay as they were spoken. It is not
measured over the book, so that a chapter sounds the same while the rest is still being made, and a sentence that is
spoken again changes no other chapter.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue

import numpy as np

from voxmatrix.audio.loudness_meter import SILENT_LUFS, WINDOW_SECONDS, MeasuredSound, integrated_lufs, measure_sounds
from voxmatrix.book.join.samples import Samples16, read_speech
from voxmatrix.book.join.timeline import Spoken, Timeline
from voxmatrix.errors import VoxmatrixError
from voxmatrix.progress import OnProgress

#: The usual loudness of audiobooks and podcasts in mono.
TARGET_LUFS = -18.0
#: Speech that is further away is damaged rather than quiet.
MAX_GAIN_DB = 24.0


@dataclass(frozen=True)
class Levels:
    """Loudness and gains of the speech in a timeline."""

    sentences_lufs: tuple[float, ...]  # as spoken, without gain, in the order of the timeline
    gains_db: tuple[float, ...]  # one per chapter


def measure(
    line: Timeline,
    on_progress: OnProgress = lambda done, total: None,
    measured: list[MeasuredSound] | None = None,
) -> Levels:
    """Read and verify every sentence of the timeline, and measure it, unless all of them are `measured` already.

    Raises:
        BadInputError: the file of a sentence is missing.
        DamagedFileError: the file of a sentence is not what was promised.
        MissingProgramError: ffmpeg is not installed.
    """
    if measured is None:
        measured = measure_sounds(_sounds(line, on_progress), line.rate_hz)
    gains: list[float] = []
    at = 0
    for chapter in line.chapters:
        gains.append(_gain_db(measured[at : at + len(chapter.sentences)]))
        at += len(chapter.sentences)
    return Levels(tuple(round(integrated_lufs(one.alone), 2) for one in measured), tuple(gains))


def sound_to_measure(spoken: Spoken, pause: int, *, ends_chapter: bool) -> tuple[Samples16, int]:
    """A sentence, read and verified, and the samples of the pause behind it.

    Raises:
        BadInputError, DamagedFileError: as `read_speech`.
    """
    # No window reaches from one chapter into the next.
    least = round(WINDOW_SECONDS * spoken.rate_hz) if ends_chapter else 0
    return read_speech(spoken), max(pause, least)


def _sounds(line: Timeline, on_progress: OnProgress) -> Iterator[tuple[Samples16, int]]:
    total, done = len(line.sentences), 0
    for chapter in line.chapters:
        for sentence in chapter.sentences:
            pause, ends_chapter = sentence.pause_end - sentence.end, sentence is chapter.sentences[-1]
            yield sound_to_measure(sentence.spoken, pause, ends_chapter=ends_chapter)
            done += 1
            on_progress(done, total)


def _gain_db(measured: list[MeasuredSound]) -> float:
    """The gain of a chapter, rounded, so that it does not depend on the last bits of a measurement."""
    loudness = integrated_lufs(np.concatenate([one.heard for one in measured])) if measured else SILENT_LUFS
    if loudness <= SILENT_LUFS:
        return 0.0
    return round(float(np.clip(TARGET_LUFS - loudness, -MAX_GAIN_DB, MAX_GAIN_DB)), 2)


_TICK_SECONDS = 0.25


class SpeechMeter:
    """Measures in a thread what it is given, in the order of the book.

    A failure is not an error: the book is then measured when it is joined, with a better message.
    """

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Spoken, float, bool] | None] = SimpleQueue()
        self._added: list[str] = []  # checksums
        self._done = 0
        self._measured: list[MeasuredSound] | None = None
        self._thread = threading.Thread(target=self._measure, daemon=True, name="loudness")
        self._thread.start()

    def add(self, spoken: Spoken, pause_seconds: float, *, ends_chapter: bool) -> None:
        """The next sentence, with the pause behind it."""
        self._added.append(spoken.sha256)
        self._queue.put((spoken, pause_seconds, ends_chapter))

    def finish(self) -> None:
        """Nothing more will be added."""
        self._queue.put(None)

    def result(self, line: Timeline, on_progress: OnProgress) -> list[MeasuredSound] | None:
        """What was measured of each sentence of the timeline; None if it is not exactly what was added."""
        while self._thread.is_alive():
            on_progress(min(self._done, len(line.sentences)), len(line.sentences))
            self._thread.join(_TICK_SECONDS)
        same = self._added == [sentence.spoken.sha256 for sentence in line.sentences]
        return self._measured if same else None

    def _measure(self) -> None:
        first = self._queue.get()
        if first is not None:
            with suppress(VoxmatrixError):
                self._measured = measure_sounds(self._sounds(first), first[0].rate_hz)

    def _sounds(self, first: tuple[Spoken, float, bool]) -> Iterator[tuple[Samples16, int]]:
        waiting: tuple[Spoken, float, bool] | None = first
        while waiting is not None:
            spoken, pause_seconds, ends_chapter = waiting
            yield sound_to_measure(spoken, round(pause_seconds * spoken.rate_hz), ends_chapter=ends_chapter)
            self._done += 1
            waiting = self._queue.get()
