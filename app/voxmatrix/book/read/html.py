"""HTML files: headings are chapters."""

from pathlib import Path

from lxml import etree

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import by_headings, divide
from voxmatrix.book.read.markup import attribute, descendants, parse, tidy
from voxmatrix.book.read.passages import ReadingOptions, read_passages
from voxmatrix.book.read.text_file import no_text, read_bytes


def read_html(path: Path, notes: bool) -> Book:
    """Read a web page that was saved, or a book in one HTML file.

    Raises:
        BadInputError: it has no text, or is too large.
    """
    return book_of(parse(read_bytes(path), str(path)), path, notes=notes)


def book_of(root: etree._Element, path: Path, *, notes: bool, title: str = "") -> Book:
    """The book in a document, which is called `title` if that is known from elsewhere."""
    document = read_passages(root, path.name, ReadingOptions(notes=notes))
    title = title or document.title or path.stem
    chapters = divide([document], by_headings([document]), title)
    if not chapters:
        raise no_text(path)
    authors = tuple(filter(None, (_meta(root, name) for name in ("author", "dc.creator"))))[:1]
    language = attribute(root, "lang") or _meta(root, "dc.language")
    return Book(title, authors, language.strip(), None, chapters)


def _meta(root: etree._Element, name: str) -> str:
    found = (meta for meta in descendants(root, "meta") if attribute(meta, "name").lower() == name)
    return next((tidy(attribute(meta, "content")) for meta in found), "")
