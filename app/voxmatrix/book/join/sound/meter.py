"""Measure the loudness of sentences while others are spoken, so that it is known when the last one is."""

import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import SimpleQueue

from voxmatrix.audio.loudness_meter import MeasuredSound, measure_sounds
from voxmatrix.book.join.sound.levels import sound_to_measure
from voxmatrix.book.join.sound.speech import Samples16
from voxmatrix.book.join.timeline import Spoken, Timeline
from voxmatrix.errors import VoxmatrixError
from voxmatrix.progress import OnProgress

_TICK_SECONDS = 0.25


class SpeechMeter:
    """Measures in a thread what it is given, in the order of the book.

    That it fails is no error: the book is then measured when it is joined, with a better message.
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
