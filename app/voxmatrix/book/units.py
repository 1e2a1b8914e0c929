"""What a book is spoken in: its sentences, as units of work."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from voxmatrix.book.content import Book
from voxmatrix.errors import BadInputError
from voxmatrix.models.style import MAX_SPEED, Style
from voxmatrix.text.lines import unwrap
from voxmatrix.text.passages import Passages
from voxmatrix.text.sentences import split
from voxmatrix.work.unit import Unit, unit_of

#: How a text of unknown language is split.
_DEFAULT_LANGUAGE = "en"
#: A whole book may be one line. The splitter's time grows with the square of the length.
_MAX_PART = 100_000
_SEARCHED = 10_000
_END = re.compile(r"[.!?\u2026\u3002][\"')\]\u2019\u201d\u00bb]*\s")


@dataclass(frozen=True)
class BookSentence:
    """A sentence as it is written, at most MAX_CHARACTERS of text.sentences long, and where a longer pause belongs."""

    text: str
    starts_paragraph: bool
    voice: str = ""  # as the text names it; "": the narrator
    rate: float = 1.0  # times the speed of the book
    pause: float = 0.0  # seconds of silence behind it, besides those of every sentence


def sentences(paragraphs: Iterable[str], language: str) -> list[BookSentence]:
    """The sentences of paragraphs in order. What has neither letter nor digit, e.g. `* * *`, is left out.

    Tags (`text.passages`) are no text. A pause before the first sentence has no effect.

    Args:
        paragraphs: the text of a chapter.
        language: e.g. `sv` or `en-US`; empty if it is unknown.
    """
    found: list[BookSentence] = []
    passages = Passages()
    for paragraph in paragraphs:
        starts = True
        for part in _parts(unwrap(paragraph)):
            for passage in passages.read(part):
                _add_pause(found, passage.pause)
                for text in split(passage.text, language or _DEFAULT_LANGUAGE):
                    if any(character.isalnum() for character in text):
                        found.append(BookSentence(text, starts, passage.voice, passage.rate))
                        starts = False
    _add_pause(found, passages.rest())
    return found


def _add_pause(found: list[BookSentence], seconds: float) -> None:
    if found and seconds:
        found[-1] = replace(found[-1], pause=found[-1].pause + seconds)


def _parts(paragraph: str) -> Iterator[str]:
    """A paragraph in pieces that are split in bearable time, cut behind a sentence or else a word."""
    start = 0
    while len(paragraph) - start > _MAX_PART:
        part = paragraph[start : start + _MAX_PART]
        ends = [match.end() for match in _END.finditer(part, _MAX_PART - _SEARCHED)]
        length = ends[-1] if ends else part.rfind(" ") + 1 or _MAX_PART
        yield part[:length]
        start += length
    yield paragraph[start:]


@dataclass(frozen=True, kw_only=True)
class BookUnit:
    """A sentence of a book, with its place."""

    chapter: int  # index of the chapter
    index: int  # from 1, within the chapter
    starts_paragraph: bool
    unit: Unit
    pause: float = 0.0  # seconds of silence behind it, besides those of every sentence

    @property
    def place(self) -> tuple[int, int]:
        """Chapter and index."""
        return self.chapter, self.index


def book_units(book: Book, language: str, voice: str, style: Style) -> Iterator[BookUnit]:
    """The units of all chapters in order.

    Args:
        book: what is spoken.
        language: how it is split into sentences, e.g. `sv` or `en-US`.
        voice: the digest of the voice.
        style: how sentences are spoken.

    Raises:
        BadInputError: the cast lacks a voice that the book names.
    """
    for chapter in book.chapters:
        for index, sentence in enumerate(sentences(chapter.paragraphs, language), start=1):
            unit = unit_of(sentence.text, voice, _style_of(sentence, style))
            yield BookUnit(
                chapter=chapter.index,
                index=index,
                starts_paragraph=sentence.starts_paragraph,
                unit=unit,
                pause=sentence.pause,
            )


def _style_of(sentence: BookSentence, style: Style) -> Style:
    """The style of a sentence: the unit of a narrator is the same with any cast.

    Raises:
        BadInputError: the cast lacks its voice.
    """
    role = style.cast.get(sentence.voice.casefold())
    if role is None and sentence.voice:
        raise BadInputError(
            f"the book names the voice {sentence.voice!r}, which is not in the cast",
            "add it to the table of `cast`, or remove the tag",
        )
    speed = min(max(style.speed * sentence.rate, 1 / MAX_SPEED), MAX_SPEED)
    return replace(style, cast={"": role} if role else {}, speed=speed)
