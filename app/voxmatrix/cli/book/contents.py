"""What both commands take: a file, and which chapters of it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voxmatrix.errors import Finding

if TYPE_CHECKING:
    from voxmatrix.book.content import Book

BookFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="EPUB, text, Markdown or HTML; others are converted by Calibre.")
]
Chapters = Annotated[str, typer.Option("--chapters", metavar="LIST", help="Only these chapters, e.g. 3-7,9.")]
Notes = Annotated[bool, typer.Option("--notes", help="Read footnotes and endnotes, too.")]


def read_chapters(file: Path, chapters: str, *, notes: bool, titles: Path | None = None) -> "Book":
    """The book, with the selected chapters only; all of them if `chapters` is empty.

    Raises:
        UsageError: there is no such chapter.
        BadInputError: the book or the file of titles cannot be read.
        MissingProgramError: its format needs Calibre.
    """
    from voxmatrix.book.read import read_book

    book = read_book(file, notes)
    if titles is not None:
        from voxmatrix.book.content import read_titles, with_titles

        book = with_titles(book, read_titles(titles))
    if not chapters:
        return book
    from voxmatrix.book.selection import select_chapters

    wanted = set(select_chapters(chapters, len(book.chapters)))
    return replace(book, chapters=tuple(chapter for chapter in book.chapters if chapter.index in wanted))


def split_language(book: "Book", voice_language: str) -> str:
    """The language in which the book is split: the voice's, which knows the region, unless the book is in another."""
    return book.language if other_language(book, voice_language) else voice_language


def other_language(book: "Book", voice_language: str) -> list[Finding]:
    """A warning if the voice speaks another language than the one of the book, as far as that is known."""
    of_book = book.language.lower().split("-")[0]
    if not of_book or of_book == voice_language.lower().split("-")[0]:
        return []
    problem = f"the book is in {book.language}, and the voice speaks {voice_language}: it will sound foreign"
    return [Finding(problem=problem, remedy="choose a voice for that language (--voice)", severity="warning")]


def duration(seconds: float) -> str:
    """Seconds for people: 12 s, 34 min, 5 h 06 min."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
