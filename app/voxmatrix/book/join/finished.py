"""Everything that an audiobook is written from."""

from collections.abc import Iterator
from dataclasses import dataclass

from voxmatrix.book.content import Book
from voxmatrix.book.join.settings import JoinSettings
from voxmatrix.book.join.sound.levels import Levels
from voxmatrix.book.join.timeline import TimedChapter, Timeline


@dataclass(frozen=True, kw_only=True)
class FinishedSpeech:
    """A book whose speech is complete, verified and measured."""

    book: Book  # its cover is JPEG or PNG: see `with_usable_cover`
    line: Timeline
    levels: Levels
    settings: JoinSettings

    def chapters(self) -> Iterator[tuple[TimedChapter, float]]:
        """The chapters, each with its gain in decibels."""
        return zip(self.line.chapters, self.levels.gains_db, strict=True)
