"""What is done with a book while it is still spoken: complete chapters can be heard, and its loudness is measured."""

import threading
from collections import deque
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.join.chapter_files import join_chapter
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.loudness import SpeechMeter
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.book.units import BookUnit
from voxmatrix.errors import VoxmatrixError
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.ledger import Ledger

#: Encoded many times faster than m4a, and every player knows it.
_EXTENSION = "flac"


class PartialChapters:
    """Writes each chapter whose sentences are all spoken, in a thread: encoding must not keep the workers waiting.

    Gives all sentences to `meter`. A chapter that cannot be written is not an error: the book is made all the same, or
    fails with a better message.
    """

    def __init__(
        self,
        book: Book,
        units: Sequence[BookUnit],
        ledger: Ledger,
        folder: Path,
        settings: JoinSettings,
        *,
        meter: SpeechMeter,
    ) -> None:
        self.complete = 0  # chapters
        self._meter = meter
        self._book, self._ledger, self._folder, self._settings = book, ledger, folder, settings
        chapters = {chapter.index: chapter for chapter in book.chapters}
        self._left = deque(
            (chapters[index], deque(group)) for index, group in groupby(units, lambda unit: unit.chapter)
        )
        self._several = len(self._left) > 1
        self._spoken: list[Spoken] = []  # of the first chapter that is not complete
        self._jobs: SimpleQueue[tuple[Chapter, list[Spoken]] | None] = SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._meter.finish()
        self._stopping.set()
        self._jobs.put(None)
        self._thread.join()

    def update(self) -> None:
        """Look which chapters have become complete; only the first open one, since they are spoken in order."""
        while self._left:
            chapter, units = self._left[0]
            while units and (delivery := self._ledger.delivery(units[0].unit.key)):
                spoken = spoken_unit(units.popleft(), self._ledger, delivery)
                self._spoken.append(spoken)
                pause_seconds = self._settings.pauses.behind(units[0].starts_paragraph if units else None)
                self._meter.add(spoken, pause_seconds, ends_chapter=not units)
            if units:
                return
            self._left.popleft()
            self.complete += 1
            if self._several and self._left:  # otherwise the book itself is about to be written
                self._jobs.put((chapter, self._spoken))
            self._spoken = []

    def _write(self) -> None:
        while (job := self._jobs.get()) and not self._stopping.is_set():
            chapter, spoken = job
            try:
                join_chapter(self._book, chapter, spoken, self._folder, extension=_EXTENSION, settings=self._settings)
            except VoxmatrixError:
                continue


def spoken_unit(unit: BookUnit, ledger: Ledger, delivery: Delivery) -> Spoken:
    """A sentence whose speech is in the ledger."""
    return Spoken(
        chapter=unit.chapter,
        index=unit.index,
        text=unit.unit.text,
        path=ledger.audio(delivery.key),
        samples=delivery.samples,
        rate_hz=delivery.rate_hz,
        sha256=delivery.sha256,
        starts_paragraph=unit.starts_paragraph,
        pause=unit.pause,
    )
