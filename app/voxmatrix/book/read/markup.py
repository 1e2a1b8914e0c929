"""XML and HTML to trees of elements: without entities, DTDs, network or trees of any size.

Also where their links lead, never out of the archive, and their text as it is shown.
"""

import html
import html.entities
import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from voxmatrix.book.read.text_file import decode
from voxmatrix.errors import BadInputError, Finding

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
#: Elements of HTML and SVG that end the line before them.
BLOCKS = frozenset((
    *HEADINGS, "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "desc", "details",
    "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr",
    "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary", "table", "tbody", "text", "tfoot",
    "thead", "title", "tr", "ul",
))  # fmt: skip
#: Some 100 MiB of memory. A chapter has thousands, and the whole Bible with each verse marked 150,000.
MAX_TAGS = 400_000
MAX_ATTRIBUTES = 600_000
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
#: What the parser says when it drops the rest of a document.
_DROPPED = "XML_PARSE_HUGE"
_PROLOGUE = re.compile(r"\s*<\?xml\b.{0,500}?\?>", re.DOTALL)
_DOCTYPE = re.compile(r"<!DOCTYPE\b", re.IGNORECASE)
_DOCTYPE_PART = re.compile(r"""<!--.*?-->|"[^"]*"|'[^']*'|[\[\]>]""", re.DOTALL)
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,40})(?:;|(?![A-Za-z0-9=]))")
#: An entity with its text, or without one if it is another file's.
_DECLARATION = re.compile(r"""<!ENTITY\s+([A-Za-z]\w{0,40})\s+(?:(["'])(.{0,500}?)\2|(?:SYSTEM|PUBLIC)\b)""", re.DOTALL)
#: Characters that entities may add to a document.
_MAX_DECLARED = 1_000_000
_CHECK = "check that the text is complete"
_OF_XML = ("amp", "lt", "gt", "quot", "apos")
#: Where a declaration of types may begin: behind comments and instructions.
_HEAD = 100_000
_MAX_DOCTYPE = 20_000


def parse(data: bytes, name: str, findings: list[Finding] | None = None) -> etree._Element:
    """The root of a document: XML, or else HTML, which repairs whatever is wrong.

    `findings` gets the entities whose text is not in the document, and which are therefore left out.

    Raises:
        BadInputError: it has more elements, or deeper ones, than any author writes.
    """
    content = _prepared(data, name, findings)
    if not content.strip():
        return etree.Element("html")
    try:
        return etree.fromstring(content, _xml_parser())
    except etree.XMLSyntaxError:
        return _parse_html(content, name)


def _prepared(data: bytes, name: str, findings: list[Finding] | None) -> bytes:
    """A document in UTF-8 without the declarations above it. Each copy of the text replaces the one before."""
    text = decode(data)
    if text.count("<") > MAX_TAGS or text.count("=") > MAX_ATTRIBUTES:
        raise BadInputError(
            f"{name} is refused: it has more than {MAX_TAGS:,} tags or {MAX_ATTRIBUTES:,} attributes",
            "divide it into several files",
        )
    start, end = _doctype(text)
    declared = _Entities(text[start:end])
    text = _PROLOGUE.sub("", text[:start]) + text[end:]
    text = _ENTITY.sub(declared.text, text)
    if findings is not None and declared.unknown:
        named = ", ".join(f"&{entity};" for entity in sorted(declared.unknown))
        problem = f"{name}: {named} stand for other files or entities; they are left out"
        findings.append(Finding(problem=problem, remedy=_CHECK, severity="warning"))
    return text.encode("utf-8")


def _xml_parser() -> etree.XMLParser:
    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, dtd_validation=False, huge_tree=False, encoding="utf-8"
    )


def _parse_html(content: bytes, name: str) -> etree._Element:
    parser = etree.HTMLParser(no_network=True, huge_tree=False, encoding="utf-8")
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError:  # nothing in it, e.g. only a comment
        root = None
    if any(_DROPPED in entry.message for entry in parser.error_log):
        raise BadInputError(
            f"{name} is refused: its tags are nested too deeply, or a piece is too long", "repair or divide it"
        )
    return etree.Element("html") if root is None else root


def _doctype(text: str) -> tuple[int, int]:
    """Where the declaration of types is, in which entities could be declared, or where it would be."""
    match = _DOCTYPE.search(text, 0, _HEAD)
    if match is None:
        prologue = _PROLOGUE.match(text)
        return (prologue.end(), prologue.end()) if prologue else (0, 0)
    depth = 0
    for part in _DOCTYPE_PART.finditer(text, match.end(), match.end() + _MAX_DOCTYPE):
        depth += {"[": 1, "]": -1}.get(part[0], 0)
        if part[0] == ">" and depth <= 0:
            return match.start(), part.end()
    return match.span()


class _Entities:
    """The entities of HTML, and those that a document declares as plain text."""

    def __init__(self, doctype: str) -> None:
        self._declared = {name: value for name, _, value in reversed(_DECLARATION.findall(doctype))}
        self._left = _MAX_DECLARED
        self.unknown: set[str] = set()

    def text(self, match: re.Match[str]) -> str:
        """What an entity stands for; one that nobody declared as it is written."""
        name = match[1]
        if name in _OF_XML:
            return f"&{name};"
        if name in self._declared:
            value = html.unescape(self._declared[name])
            self._left -= len(value)
            if value and "<" not in value and not _ENTITY.search(value) and self._left >= 0:
                return html.escape(value)
            self.unknown.add(name)
            return ""
        known = html.entities.html5.get(match[0][1:])
        return html.escape(known) if known else f"&amp;{match[0][1:]}"


def local_name(element: etree._Element) -> str:
    """The name of an element in small letters without its namespace; empty for comments and instructions."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return _local(tag)


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2].lower()


def attribute(element: etree._Element, name: str) -> str:
    """An attribute, with or without a prefix; empty if there is none."""
    value = element.get(name)
    if value is not None:
        return str(value)
    for key, other in element.attrib.items():
        if _local(str(key)) == name.lower():
            return str(other)
    return ""


def kinds(element: etree._Element) -> set[str]:
    """What an element is by `epub:type` and `role`: `{"footnote"}` for both of `footnote` and `doc-footnote`."""
    words = f"{element.get(_EPUB_TYPE) or element.get('epub:type') or ''} {element.get('role') or ''}"
    return {word.rpartition(":")[2].removeprefix("doc-") for word in words.lower().split()}


def descendants(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """All elements of these names below an element, in order."""
    return (found for found in element.iter() if local_name(found) in names)


def links_in(element: etree._Element) -> list[etree._Element]:
    """The links in an element, itself included."""
    return [found for found in element.iter("{*}a") if found.get("href")]


def children(element: etree._Element, *names: str) -> Iterator[etree._Element]:
    """The elements of these names directly in an element."""
    return (found for found in element if local_name(found) in names)


def text_of(element: etree._Element) -> str:
    """All text in an element, without comments."""
    return str(element.xpath("string()"))


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


class Link(NamedTuple):
    """A file of the archive, and an anchor in it; empty stands for the file itself."""

    path: str
    anchor: str


def resolve(base: str, href: str) -> Link | None:
    """Where `href` leads in the file `base`; None for what is outside of the archive."""
    href = href.strip().replace("\\", "/")
    if _SCHEME.match(href) or href.startswith("//"):
        return None
    place, _, anchor = href.partition("#")
    place = unquote(place.partition("?")[0]).replace("\\", "/")
    if "\0" in place:
        return None
    path = posixpath.normpath(posixpath.join("/", posixpath.dirname(base), place) if place else f"/{base}")
    steps = posixpath.join("/" if place.startswith("/") else posixpath.dirname(base), place) if place else base
    return None if _leaves(steps) else Link(path.lstrip("/"), unquote(anchor))


def _leaves(path: str) -> bool:
    """Whether a path goes above the root on its way."""
    depth = 0
    for step in path.split("/"):
        depth += -1 if step == ".." else step not in ("", ".")
        if depth < 0:
            return True
    return False


#: Soft hyphens, places where a line may break, byte order marks.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")


def tidy(text: str) -> str:
    """`text` with whitespace as single spaces and without soft hyphens."""
    return " ".join((text if text.isascii() else _INVISIBLE.sub("", text)).split())
