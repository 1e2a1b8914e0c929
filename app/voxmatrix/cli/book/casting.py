"""The table of `--cast`: whose speech has which voice in a book."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.cli.terminal.messages import warn
from voxmatrix.errors import Finding
from voxmatrix.wording import quoted

if TYPE_CHECKING:
    from voxmatrix.book.content import Book
    from voxmatrix.models.style import Style
    from voxmatrix.voices.cast_table import CastTable, Correction


def cast_table(path: Path | None) -> "CastTable | None":
    """The table of a book; None if there is none, or only a list of `NAME|voice`.

    Raises:
        BadInputError: it cannot be read.
    """
    from voxmatrix.voices.cast_table import SUFFIX, read_table

    return read_table(path) if path and path.suffix == SUFFIX else None


def with_speakers(
    book: "Book", language: str, style: "Style", path: Path | None, table: "CastTable | None"
) -> tuple["Book", "Style"]:
    """The book with its speakers, and the style with their voices; unchanged without a table.

    Raises:
        BadInputError: there is no such voice.
    """
    if path is None or table is None:
        return book, style
    from voxmatrix.book.people.cast import attribute, spoken_book

    found = attribute(book, book.language or language, table)
    for finding in lost_findings(found.lost, path):
        warn(finding)
    book, roles = spoken_book(found, table)
    return book, replace(style, cast={**style.cast, **roles})


def nobody_named(book: "Book", wanted: bool) -> Iterator[Finding]:
    """A warning where speakers are to be named, and it is not known of any speech who says it."""
    from voxmatrix.book.dialogue import speakers

    if wanted and not speakers(book):
        remedy = "write a table of them with voxmatrix book cast, and add `cast=FILE`"
        yield Finding(problem="nobody is named: it is not known who speaks", remedy=remedy, severity="warning")


def lost_findings(lost: "Iterable[Correction]", path: Path) -> Iterator[Finding]:
    """A warning for each correction whose speech is not found."""
    for correction in lost:
        problem = (
            f"{path}: the speech {quoted(correction.text)}, which {correction.who} says, is not found, or fits several"
        )
        remedy = "write more of its words, or those before it into behind; it stays in the table"
        yield Finding(problem=problem, remedy=remedy, severity="warning")
