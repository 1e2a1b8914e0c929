"""What both commands take: a file, and which chapters and parts of it are read."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from voxmatrix.book.content import Book

BookFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="EPUB, PDF, FB2, text, Markdown or HTML; others need Calibre.")
]
Chapters = Annotated[str, typer.Option("--chapters", metavar="LIST", help="Only these chapters, e.g. 3-7,9.")]
Include = Annotated[
    str,
    typer.Option("--include", metavar="KINDS", help="Read these too, e.g. notes,pictures (`book inspect` lists all)."),
]
Exclude = Annotated[str, typer.Option("--exclude", metavar="KINDS", help="Do not read these, e.g. tables,urls.")]
Notes = Annotated[bool, typer.Option("--notes", help="Short for --include notes.")]


def wanted_kinds(include: str, exclude: str, *, notes: bool) -> frozenset[str]:
    """The kinds of parts that are read, of lists with commas.

    Raises:
        UsageError: there is no such kind.
    """
    from voxmatrix.book.kinds import spoken_kinds

    more, fewer = ([kind for part in given.split(",") if (kind := part.strip())] for given in (include, exclude))
    return spoken_kinds([*more, *(["notes"] if notes else [])], fewer)


def read_chapters(file: Path, chapters: str, kinds: frozenset[str], titles: Path | None = None) -> "Book":
    """The book with parts of these kinds, and the selected chapters only; all of them if `chapters` is empty.

    Raises:
        UsageError: there is no such chapter.
        BadInputError: the book or the file of titles cannot be read.
        MissingProgramError: its format needs Calibre, or pypdfium2.
    """
    from voxmatrix.book.read import read_book

    book = read_book(file, kinds)
    if titles is not None:
        from voxmatrix.book.content import read_titles, with_titles

        book = with_titles(book, read_titles(titles))
    return selected(book, chapters)


def selected(book: "Book", chapters: str) -> "Book":
    """The selected chapters of a book only; all of them if `chapters` is empty.

    Raises:
        UsageError: there is no such chapter.
    """
    if not chapters:
        return book
    from voxmatrix.book.selection import select_chapters

    wanted = set(select_chapters(chapters, len(book.chapters)))
    return replace(book, chapters=tuple(chapter for chapter in book.chapters if chapter.index in wanted))


def split_language(book: "Book", voice_language: str) -> str:
    """The language in which the book is split: the voice's, which knows the region, unless the book is in another."""
    return book.language if not voice_language or _is_foreign(book, voice_language) else voice_language


def _is_foreign(book: "Book", voice_language: str) -> bool:
    """Whether the voice speaks another language than the one of the book, as far as that is known."""
    of_book = book.language.lower().split("-")[0]
    return bool(of_book) and of_book != voice_language.lower().split("-")[0]


def left_out_line(book: "Book") -> str:
    """What of a book is not read, and how it would be; nothing if all is."""
    parts = [part for part in book.kinds if not part.spoken]
    if not parts:
        return ""
    shown = ", ".join(f"{part.kind} ({part.count:,})" for part in parts)
    return f"left out: {shown}\n  → to hear them: `include={','.join(part.kind for part in parts)}`"


def duration(seconds: float) -> str:
    """Seconds for people: 12 s, 34 min, 5 h 06 min."""
    minutes = round(seconds / 60)
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
