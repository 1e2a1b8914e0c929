"""Everything that an audiobook is written from."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from voxmatrix.book.content import Book
from voxmatrix.book.join.loudness import Levels
from voxmatrix.book.join.timeline import Pauses, TimedChapter, TimedSentence, Timeline
from voxmatrix.tables.shops import Shop


@dataclass(frozen=True, kw_only=True)
class JoinSettings:
    """How the speech of a book becomes an audiobook."""

    pauses: Pauses = field(default_factory=Pauses)
    bitrate: str | None = None  # e.g. 96k; None: what suits speech
    narrator: str = ""  # the name of the voice, for the tags
    subtitles: bool = False  # B.srt and B.vtt as well
    subtitle_speakers: bool = False  # they name who speaks
    overlay: bool = False  # B.epub as well, an EPUB to read along
    overlay_speakers: bool = False  # it names who speaks
    shop: Shop | None = None  # whose limits the files are written for


@dataclass(frozen=True, kw_only=True)
class FinishedSpeech:
    """A book whose speech is complete, verified and measured."""

    book: Book  # its cover is JPEG or PNG: see `with_usable_cover`
    line: Timeline
    levels: Levels
    settings: JoinSettings

    def chapters(self) -> Iterator[tuple[TimedChapter, list[float]]]:
        """The chapters, each with the gains of its sentences in decibels."""
        for chapter, gain_db in zip(self.line.chapters, self.levels.gains_db, strict=True):
            yield chapter, [gain_db + own for own in self.voice_gains_db(chapter.sentences)]

    def overlay_names(self) -> list[str]:
        """Who is named before each sentence of the EPUB to read along; "": nobody."""
        return self.line.named_speakers() if self.settings.overlay_speakers else [""] * len(self.line.sentences)

    def voice_gains_db(self, sentences: Iterable[TimedSentence]) -> list[float]:
        """The gains of sentences that bring their voices to the loudness of the narrator."""
        of_chapter = self._voices_db
        return [of_chapter[one.spoken.chapter].get(one.spoken.voice, 0.0) for one in sentences]

    @cached_property
    def _voices_db(self) -> dict[int, Mapping[str, float]]:
        """The gain of each voice, by chapter."""
        chapters = zip(self.line.chapters, self.levels.voices_db, strict=True)
        return {one.chapter.index: gains for one, gains in chapters}
