"""HTML files: headings are chapters."""

from collections.abc import Collection
from pathlib import Path

from lxml import etree

from voxmatrix.book.content import Book
from voxmatrix.book.read.chapters import divide, formula_findings, parts_of_kinds
from voxmatrix.book.read.gutenberg import Said, title_and_author
from voxmatrix.book.read.headings import by_headings
from voxmatrix.book.read.markup import attribute, descendants, parse, tidy
from voxmatrix.book.read.passages import ReadingOptions, read_passages
from voxmatrix.book.read.recognition import recognise_parts
from voxmatrix.book.read.text_file import no_text, read_bytes


def read_html(path: Path, kinds: Collection[str]) -> Book:
    """Read a web page that was saved, or a book in one HTML file.

    Raises:
        BadInputError: it has no text, or is too large.
    """
    return book_of(parse(read_bytes(path), str(path)), path, kinds)


def book_of(root: etree._Element, path: Path, kinds: Collection[str], title: str = "") -> Book:
    """The book in a document, which is called `title` if that is known from elsewhere."""
    document = read_passages(root, path.name, ReadingOptions(pictures="pictures" in kinds))
    said = recognise_parts([document])
    called, author = title_and_author(document.title, is_gutenberg=said != Said())
    title = title or said.title or called or path.stem
    chapters = divide([document], by_headings([document], kinds), title, kinds)
    if not chapters:
        raise no_text(path)
    named = (said.author, author, *(_meta(root, name) for name in ("author", "dc.creator")))
    authors = tuple(filter(None, named))[:1]
    language = attribute(root, "lang") or _meta(root, "dc.language") or said.language
    findings, parts = tuple(formula_findings([document])), parts_of_kinds([document], kinds)
    return Book(title, authors, language.strip(), None, chapters, findings, parts)


def _meta(root: etree._Element, name: str) -> str:
    found = (meta for meta in descendants(root, "meta") if attribute(meta, "name").lower() == name)
    return next((tidy(attribute(meta, "content")) for meta in found), "")
