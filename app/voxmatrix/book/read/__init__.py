"""Read a book from a file: `read_book`."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import NamedTuple

from voxmatrix.book.content import Book
from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read import calibre, html, markdown, plain
from voxmatrix.book.read.epub import read_epub
from voxmatrix.files import read_errors


class BookFormat(NamedTuple):
    """A format with its suffixes and the function that reads it; that is told which kinds of parts are read."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, Collection[str]], Book]


FORMATS = (
    BookFormat((".epub", ".kepub"), read_epub),
    BookFormat((".txt", ".text"), plain.read_plain),
    BookFormat((".md", ".markdown"), markdown.read_markdown),
    BookFormat((".html", ".htm", ".xhtml"), html.read_html),
)
#: Whatever else there is, e.g. .mobi or .fb2.
CONVERTED = BookFormat((), calibre.read_converted)


def read_book(path: Path, kinds: Collection[str] = SPOKEN_KINDS) -> Book:
    """Read a book in the format that its suffix names.

    Args:
        path: the file.
        kinds: which parts beside the text are read, from `voxmatrix.book.kinds`. Numbers of pages and lines, and the
            signs that refer to notes, are never read.

    Raises:
        BadInputError: the file cannot be read, is damaged, is locked by DRM or has no text.
        MissingProgramError: the format needs Calibre, which is not installed.
    """
    found = next((one for one in FORMATS if path.suffix.lower() in one.suffixes), CONVERTED)
    with read_errors(path):
        path.stat()
        return found.read(path, kinds)
