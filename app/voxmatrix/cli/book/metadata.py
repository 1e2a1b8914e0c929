"""What is said about a book in the tags, instead of what its file says."""

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from voxmatrix.errors import BadInputError
from voxmatrix.files import read_errors

if TYPE_CHECKING:
    from voxmatrix.book.content import Book, Cover


def _tag(flag: str, metavar: str, help: str) -> Any:
    return typer.Option(flag, metavar=metavar, help=help, rich_help_panel="Tags", show_default=False)


@dataclass(frozen=True, kw_only=True)
class MetadataOptions:
    """Tags; what is not given is as in the file."""

    title: Annotated[str, _tag("--title", "TEXT", "Title of the book.")] = ""
    author: Annotated[str, _tag("--author", "NAME", "Author; several with semicolons.")] = ""
    narrator: Annotated[str, _tag("--narrator", "NAME", "Narrator (default: the book's, or the voice).")] = ""
    cover: Annotated[Path | None, _tag("--cover", "FILE", "Picture for the cover.")] = None
    series: Annotated[str, _tag("--series", "NAME", "Series.")] = ""
    series_index: Annotated[str, _tag("--series-index", "N", "Place in the series, e.g. 2.")] = ""
    publisher: Annotated[str, _tag("--publisher", "NAME", "Publisher.")] = ""
    date: Annotated[str, _tag("--date", "DATE", "Date of publication, e.g. 1999 or 1999-05-01.")] = ""
    description: Annotated[str, _tag("--description", "TEXT", "What the book is about.")] = ""


def with_metadata(book: "Book", given: MetadataOptions) -> "Book":
    """The book with the tags that were given.

    Raises:
        BadInputError: the cover cannot be read, or is no picture.
    """
    about = {
        field.name: value
        for field in fields(book.about)
        if (value := " ".join(str(getattr(given, field.name)).split()))
    }
    authors = tuple(filter(None, (name.strip() for name in given.author.split(";"))))
    return replace(
        book,
        title=given.title.strip() or book.title,
        authors=authors or book.authors,
        cover=_cover(given.cover) if given.cover else book.cover,
        about=replace(book.about, **about),
    )


def _cover(path: Path) -> "Cover":
    from voxmatrix.book.content import Cover
    from voxmatrix.book.join.cover import usable_cover

    with read_errors(path):
        cover = usable_cover(Cover("", path.read_bytes()))
    if cover is None:
        raise BadInputError(f"{path} is no picture that can be a cover", "give a JPEG or PNG")
    return cover
