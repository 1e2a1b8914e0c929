"""Read a book from a file: `read_book`."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from voxmatrix.book.content import Book
from voxmatrix.book.kinds import SPOKEN_KINDS
from voxmatrix.book.read import calibre, fb2, html, markdown, plain
from voxmatrix.book.read.epub import read_epub
from voxmatrix.files import read_errors
from voxmatrix.text.language_guess import likely_language


class BookFormat(NamedTuple):
    """A format with its suffixes and the function that reads it; that is told which kinds of parts are read."""

    suffixes: tuple[str, ...]
    read: Callable[[Path, Collection[str]], Book]


class EpubSource(NamedTuple):
    """An EPUB that a book was read from."""

    path: Path
    #: By Calibre, from another format.
    converted: bool = False


def _read_pdf(path: Path, kinds: Collection[str]) -> Book:
    """Its modules take as long to import as those of all other formats."""
    from voxmatrix.book.read.pdf import read_pdf

    return read_pdf(path, kinds)


FORMATS = (
    BookFormat((".epub", ".kepub"), read_epub),
    BookFormat((".txt", ".text"), plain.read_plain),
    BookFormat((".md", ".markdown"), markdown.read_markdown),
    BookFormat((".html", ".htm", ".xhtml"), html.read_html),
    BookFormat((".fb2",), fb2.read_fb2),
    BookFormat((".pdf",), _read_pdf),
)
#: Whatever else there is, e.g. .mobi or .docx.
CONVERTED = BookFormat((), calibre.read_converted)
_EPUB = FORMATS[0]


def read_book(path: Path, kinds: Collection[str] = SPOKEN_KINDS) -> Book:
    """Read a book in the format that its suffix names.

    Args:
        path: the file.
        kinds: which parts beside the text are read, from `voxmatrix.book.kinds`. Numbers of pages and lines, and the
            signs that refer to notes, are never read.

    Raises:
        BadInputError: the file cannot be read, is damaged, is locked by DRM or has no text.
        MissingProgramError: the format needs Calibre, or a PDF pypdfium2, which is not installed.
    """
    found = _format(path)
    with read_errors(path):
        path.stat()
        book = found.read(path, kinds)
    return book if book.language else replace(book, language=_language(book))


@contextmanager
def as_epub(path: Path | None) -> Iterator[EpubSource | None]:
    """The EPUB that a book is, or that Calibre makes of it for a while; None for books in other formats.

    Raises:
        As `read_book`.
    """
    found = _format(path) if path else None
    if path and found is CONVERTED:
        with calibre.converted(path) as (epub, _):
            yield EpubSource(epub, converted=True)
    else:
        yield EpubSource(path) if path and found is _EPUB else None


def _language(book: Book) -> str:
    """That of the text, as far as it can be told."""
    return likely_language(" ".join(paragraph for chapter in book.chapters for paragraph in chapter.paragraphs))


def _format(path: Path) -> BookFormat:
    return next((one for one in FORMATS if path.suffix.lower() in one.suffixes), CONVERTED)
