"""What is done with a book while it is still spoken: complete chapters can be heard, and its loudness is measured."""

import hashlib
import json
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from queue import SimpleQueue
from typing import Self

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.join.chapter_files import early_chapter_name, join_chapter
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.loudness import SpeechMeter
from voxmatrix.book.join.timeline import Spoken
from voxmatrix.book.shelf import path_digest
from voxmatrix.book.units import BookUnit
from voxmatrix.encoding import parse_json
from voxmatrix.errors import VoxmatrixError
from voxmatrix.files import read_text_or_empty, write_text
from voxmatrix.text.normalisation.say_as import without_marks
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.ledger import Ledger

#: A chapter is not written if the book will be complete so soon: to encode it takes a tenth of the time of all.
SOON_SECONDS = 60.0


class PartialChapters:
    """Writes each chapter whose sentences are all spoken, in a thread: encoding must not keep the workers waiting.
    Those of the last minute are not written.

    What an earlier run has written stays if it is the same, so that it is heard and not encoded again. Gives all
    sentences to `meter`. A chapter that cannot be written is not an error: the book is made all the same, or fails with
    a better message.
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
        self._kept: set[str] = set()  # files of an earlier run
        self._spoken: list[Spoken] = []  # of the first chapter that is not complete
        self._record = ledger.folder / f"chapters-{path_digest(folder)}.json"
        self._written = _read_record(self._record)
        self._jobs: SimpleQueue[_Complete | None] = SimpleQueue()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True)

    def __enter__(self) -> Self:
        self._meter.start()
        self.update()
        self._remove_others()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._jobs.put(None)
        self._thread.join()
        self._meter.stop()

    def update(self, seconds_left: float | None = None) -> None:
        """Look which chapters have become complete; only the first open one, since they are spoken in order.

        `seconds_left`: until all are spoken, if that is known.
        """
        is_soon = seconds_left is not None and seconds_left < SOON_SECONDS
        while self._left:
            chapter, units = self._left[0]
            while units and (delivery := self._ledger.delivery(units[0].unit.key)):
                spoken = spoken_unit(units.popleft(), self._ledger, delivery)
                self._spoken.append(spoken)
                self._meter.add(spoken)
            if units:
                return
            self._left.popleft()
            self.complete += 1
            if self._several and self._left:  # otherwise the book itself is about to be written
                complete = _Complete(chapter, self._spoken, self._digest(chapter, self._spoken))
                name = early_chapter_name(self._book, chapter)
                if self._written.get(name) == complete.digest and (self._folder / name).is_file():
                    self._kept.add(name)
                elif not is_soon:
                    self._jobs.put(complete)
            self._spoken = []

    def _digest(self, chapter: Chapter, spoken: Sequence[Spoken]) -> str:
        """A checksum of all that the file of a chapter is made of, but for the cover."""
        sentences = [(one.sha256, one.pause, one.starts_paragraph, one.continues) for one in spoken]
        book = self._book
        made_of = (self._settings, chapter.index, chapter.title, book.title, book.authors, book.about, sentences)
        return hashlib.sha256(repr(made_of).encode("utf-8", "surrogatepass")).hexdigest()

    def _remove_others(self) -> None:
        """Remove what an earlier run has written otherwise, perhaps with another voice."""
        self._written = {name: digest for name, digest in self._written.items() if name in self._kept}
        for path in self._folder.iterdir() if self._folder.is_dir() else ():
            if path.name not in self._kept:
                with suppress(OSError):
                    path.unlink()

    def _check(self) -> None:
        """Let go of a chapter that is being written: to encode hours of speech takes minutes."""
        if self._stopping.is_set():
            raise _StoppedError

    def _write(self) -> None:
        while (job := self._jobs.get()) and not self._stopping.is_set():
            try:
                file = join_chapter(
                    self._book,
                    job.chapter,
                    job.spoken,
                    self._folder,
                    settings=self._settings,
                    meter=self._meter,
                    check=self._check,
                )
                self._written[file.name] = job.digest
                write_text(self._record, json.dumps(self._written))
            except VoxmatrixError:
                continue
            except _StoppedError:
                return


class _StoppedError(Exception):
    """The command is ending."""


@dataclass(frozen=True)
class _Complete:
    """A chapter whose sentences are all spoken."""

    chapter: Chapter
    spoken: Sequence[Spoken]
    digest: str


def _read_record(path: Path) -> dict[str, str]:
    """The digests of chapters by the names of their files, of an earlier run."""
    with suppress(ValueError, RecursionError):
        found = parse_json(read_text_or_empty(path))
        return found if isinstance(found, dict) else {}
    return {}


def spoken_unit(unit: BookUnit, ledger: Ledger, delivery: Delivery) -> Spoken:
    """A sentence whose speech is in the ledger."""
    return Spoken(
        chapter=unit.chapter,
        index=unit.index,
        text=without_marks(unit.unit.text),
        path=ledger.audio(delivery.key),
        samples=delivery.samples,
        rate_hz=delivery.rate_hz,
        sha256=delivery.sha256,
        starts_paragraph=unit.starts_paragraph,
        pause=unit.pause,
        voice=unit.voice,
        who=unit.who,
        rule=unit.rule,
        continues=unit.continues,
    )
