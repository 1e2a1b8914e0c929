"""FictionBook 2: its sections are chapters, and its second body is notes. It becomes HTML, which `html` reads."""

import base64
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path

from lxml import etree

from voxmatrix.book.content import Book, Cover, Metadata
from voxmatrix.book.read.calibre import read_converted
from voxmatrix.book.read.epub_metadata import known_authors
from voxmatrix.book.read.html import book_of
from voxmatrix.book.read.markup import attribute, children, descendants, local_name, parse, text_of, tidy
from voxmatrix.book.read.text_file import read_bytes
from voxmatrix.errors import BadInputError

#: What each element is in HTML; the others have the same name there, or are read as what is in them.
_NAMES = {
    "section": "div", "subtitle": "p", "epigraph": "blockquote", "cite": "blockquote", "poem": "div", "stanza": "p",
    "text-author": "p", "empty-line": "hr", "emphasis": "em", "strikethrough": "s", "image": "img", "style": "span",
    "annotation": "aside", "v": "span",
}  # fmt: skip
#: An ampersand that nobody escaped: the HTML parser, which repairs the rest, knows only one body.
_BARE = re.compile(rb"&(?!#?\w{1,40};)")
#: libxml2 refuses a longer text, and with it the book: such a picture is left out.
_BINARY = re.compile(rb"(<binary\b[^<>]{0,500}>)([^<]{9000000,})")
_DEEPEST = 6
#: Names of bodies; others are parts of the text.
_NOTES = ("notes", "comments", "footnotes")


def read_fb2(path: Path, kinds: Collection[str]) -> Book:
    """Read an FB2 file; one in a ZIP archive is left to Calibre.

    Raises:
        BadInputError: it is no FB2, has no text, or is too large.
    """
    with path.open("rb") as file:
        if file.read(2) == b"PK":
            return read_converted(path, kinds)
    data = read_bytes(path)
    if b"\0" not in data:  # UTF-16 has other bytes behind an ampersand
        data = _BINARY.sub(rb"\1", _BARE.sub(b"&amp;", data))
    root = parse(data, str(path))
    book = next(iter(descendants(root, "fictionbook")), None)
    if book is None:
        problem = f"{path} is not what its name says: there is no FictionBook element in it"
        raise BadInputError(problem, "check the file, or convert it to EPUB")
    information = next(descendants(book, "title-info"), etree.Element("title-info"))
    about, cover = _about(book, information), _cover(book, information)
    authors, language = known_authors(map(_name, children(information, "author"))), _first(information, "lang")
    read = book_of(_page(book, information), path, kinds, _first(information, "book-title"))
    return replace(read, authors=authors or read.authors, language=language or read.language, about=about, cover=cover)


def _page(book: etree._Element, information: etree._Element) -> etree._Element:
    """The bodies as one page; those behind the first, which have names, are notes, and so are annotations."""
    root = etree.Element("html")
    page = etree.SubElement(root, "body")
    for annotation in list(children(information, "annotation")):
        page.append(annotation)
    for body in list(children(book, "body")):
        is_notes = attribute(body, "name").lower() in _NOTES
        body.tag = "section"
        if is_notes:
            body.set("class", "footnotes")
        page.append(body)
    _to_html(page)
    return root


def _to_html(body: etree._Element) -> None:
    """Give the elements the names that they have in HTML."""
    for element in list(body.iter()):
        name = local_name(element)
        if name == "title":
            _title(element)
        elif name == "a":
            element.set("href", attribute(element, "href"))
            if attribute(element, "type") == "note":
                element.set("role", "doc-noteref")
            element.tag = name
        elif name:
            if name == "v":
                element.addnext(etree.Element("br"))
            if name == "annotation":
                element.set("class", "footnotes")
            element.tag = _NAMES.get(name, name)


def _title(element: etree._Element) -> None:
    """A title to a heading whose level is the depth of its section, with its paragraphs as lines."""
    parent = element.getparent()
    is_of_section = parent is not None and local_name(parent) in ("div", "section", "body")
    depth = sum(1 for above in element.iterancestors() if local_name(above) in ("div", "section", "body"))
    for blank in list(children(element, "empty-line")):
        blank.tag = "br"  # a rule would end the heading
    for line in list(children(element, "p")):
        line.tag = "span"
        line.addnext(etree.Element("br"))
    element.tag = f"h{min(depth, _DEEPEST)}" if is_of_section else "p"


def _first(information: etree._Element, name: str) -> str:
    return next(filter(None, (tidy(text_of(element)) for element in children(information, name))), "")


def _name(author: etree._Element) -> str:
    parts = (_first(author, part) for part in ("first-name", "middle-name", "last-name"))
    return " ".join(filter(None, parts)) or _first(author, "nickname")


def _about(book: etree._Element, information: etree._Element) -> Metadata:
    series = next(children(information, "sequence"), None)
    publication = next(descendants(book, "publish-info"), etree.Element("publish-info"))
    return Metadata(
        series=attribute(series, "name") if series is not None else "",
        series_index=attribute(series, "number") if series is not None else "",
        publisher=_first(publication, "publisher"),
        date=_first(publication, "year") or _first(information, "date"),
        description=_first(information, "annotation"),
    )


def _cover(book: etree._Element, information: etree._Element) -> Cover | None:
    """The picture of the cover, which stands in the file as Base64; None if there is none, or it is damaged."""
    wanted = {attribute(image, "href").lstrip("#") for image in _images(information)}
    for binary in children(book, "binary"):
        if attribute(binary, "id") in wanted and text_of(binary).strip():
            try:
                return Cover(attribute(binary, "content-type"), base64.b64decode(text_of(binary)))
            except ValueError:
                return None
    return None


def _images(information: etree._Element) -> Iterator[etree._Element]:
    for page in children(information, "coverpage"):
        yield from descendants(page, "image")
