"""Everything that an audiobook is written from."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from voxmatrix.book.content import Book
from voxmatrix.book.join.loudness import Levels
from voxmatrix.book.join.timeline import Pauses, TimedChapter, Timeline


@dataclass(frozen=True, kw_only=True)
class JoinSettings:
    """How the speech of a book becomes an audiobook."""

    pauses: Pauses = field(default_factory=Pauses)
    bitrate: str | None = None  # e.g. 96k; None: what suits speech
    narrator: str = ""  # the name of the voice, for the tags
    subtitles: bool = False  # B.srt and B.vtt as well
    overlay: bool = False  # B.epub as well, an EPUB to read along


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
