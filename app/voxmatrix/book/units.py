"""What a book is spoken in: its sentences, as units of work."""

from collections.abc import Iterator
from dataclasses import dataclass

from voxmatrix.book.content import Book
from voxmatrix.book.sentences import sentences
from voxmatrix.models.style import Style
from voxmatrix.work.unit import Unit, unit_of


@dataclass(frozen=True, kw_only=True)
class BookUnit:
    """A sentence of a book, with its place."""

    chapter: int  # index of the chapter
    index: int  # from 1, within the chapter
    starts_paragraph: bool
    unit: Unit


def book_units(book: Book, language: str, voice: str, style: Style) -> Iterator[BookUnit]:
    """The units of all chapters in order.

    Args:
        book: what is spoken.
        language: how it is split into sentences, e.g. `sv` or `en-US`.
        voice: the digest of the voice.
        style: how sentences are spoken.
    """
    for chapter in book.chapters:
        for index, sentence in enumerate(sentences(chapter.paragraphs, language), start=1):
            unit = unit_of(sentence.text, voice, style)
            yield BookUnit(chapter=chapter.index, index=index, starts_paragraph=sentence.starts_paragraph, unit=unit)
