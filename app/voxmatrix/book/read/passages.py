"""A document to its passages: paragraphs, headings, items, rows, each with the anchors that lead to it."""

import re
from dataclasses import dataclass, field

from lxml import etree

from voxmatrix.book.read.markup import Link, attribute, descendants, links_in, local_name, resolve, text_of, tidy
from voxmatrix.book.read.unspoken import (
    MAY_BE_CONTENTS,
    Listed,
    NoteStart,
    is_contents_list,
    is_contents_title,
    is_note,
    is_note_reference,
    is_unspoken,
    note_start,
    spoken_alt,
)

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = frozenset(_HEADINGS).union(
    (
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "desc",
        "details",
        "dir",
        "div",
        "dl",
    ),
    (
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "hr",
        "legend",
        "li",
        "main",
        "menu",
    ),
    ("ol", "p", "pre", "section", "summary", "table", "tbody", "text", "tfoot", "thead", "title", "tr", "ul"),
)
#: Stands for a line break. Documents do not contain it.
_BREAK = "\0"
_EMPTY_LINE = re.compile(rf"{_BREAK}\s*(?:{_BREAK}\s*)+")
#: In elements within elements, each link is examined again: a hostile document would take hours.
_MAX_CONTAINERS = 20
_MAX_LINKS = 60_000
_ENDS_WITH_MARK = re.compile(r"[.,;:!?\u2026\u3002]\s*$")


@dataclass
class Passage:
    """A paragraph, or whatever stands for itself. What turns out to be a note is not spoken."""

    text: str
    #: 1 to 6 for headings, else 0.
    level: int
    note: NoteStart | None
    spoken: bool = True


@dataclass
class Document:
    """The passages of a file, and the index of the passage that each anchor leads to; the last may be one too many."""

    path: str
    title: str = ""
    passages: list[Passage] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    #: What superscript links lead to.
    references: set[Link] = field(default_factory=set)
    #: Where notes were left out: before the passages of these indices.
    left_out: list[int] = field(default_factory=list)
    has_contents: bool = False


@dataclass(frozen=True)
class ReadingOptions:
    """What a document is read for."""

    notes: bool = False
    contents: Listed = field(default_factory=Listed)
    #: The picture on the cover, which is not described.
    cover: str = ""


def read_passages(root: etree._Element, path: str, reading: ReadingOptions) -> Document:
    """The passages of a document. A passage that the contents lead into is divided there."""
    reader = _Reader(path, reading)
    title = next(descendants(root, "title"), None)
    reader.document.title = tidy(text_of(title)) if title is not None else ""
    reader.visit(root)
    reader.flush()
    document = reader.document
    if path in reading.contents.pages and document.has_contents and all(p.level for p in document.passages):
        document.passages.clear()  # nothing but a heading above the contents
        document.anchors = dict.fromkeys(document.anchors, 0)
    return document


class _Reader:
    def __init__(self, path: str, reading: ReadingOptions) -> None:
        self.document = Document(path)
        self._reading = reading
        self._boundaries = {link.anchor for link in reading.contents.titles if link.path == path and link.anchor}
        self._pieces: list[str] = []
        self._level = 0
        self._notes: list[NoteStart] = []
        self._containers = 0
        self._links_examined = 0

    def visit(self, element: etree._Element) -> None:
        name = local_name(element)
        if not name:
            return
        if name in _BLOCKS:
            self.flush()
        self._mark(element)
        if self._leaves_out(element, name):
            for inner in element.iter():
                self._mark(inner)
        elif name == "br":
            self._pieces.append(_BREAK)
        elif name in ("img", "math") and (alt := spoken_alt(element)) is not None:
            self._describe(alt, attribute(element, "src"))
        else:
            self._read(element, name)

    def _read(self, element: etree._Element, name: str) -> None:
        level, notes, containers = self._level, len(self._notes), self._containers
        self._containers += name in MAY_BE_CONTENTS
        if name in _HEADINGS:
            self._level = int(name[1])
        if name in _BLOCKS and (note := note_start(element, self.document.path)) is not None:
            self._notes.append(note)
        if name in ("td", "th"):
            self._divide_cells()
        self._pieces.append(element.text or "")
        for child in element:
            self.visit(child)
            self._pieces.append(child.tail or "")
        if name in _BLOCKS:
            self.flush()
        self._level, self._containers = level, containers
        del self._notes[notes:]

    def _divide_cells(self) -> None:
        """Put a comma between the cells of a row."""
        while self._pieces:
            if last := self._pieces.pop().rstrip():
                self._pieces += [last, " " if _ENDS_WITH_MARK.search(last) else ", "]
                return

    def _leaves_out(self, element: etree._Element, name: str) -> bool:
        if is_unspoken(element, name):
            if name == "nav":
                self._leave_out_contents()
            return True
        if is_note_reference(element, name):
            links = (
                resolve(self.document.path, attribute(link, "href")) for link in element.iter() if link.get("href")
            )
            self.document.references.update(link for link in links if link is not None)
            return True
        if not self._reading.notes and is_note(element, name):
            self.flush()
            self.document.left_out.append(len(self.document.passages))
            return True
        if self._is_contents(element, name):
            self._leave_out_contents()
            return True
        return False

    def _is_contents(self, element: etree._Element, name: str) -> bool:
        if name not in MAY_BE_CONTENTS or self._containers > _MAX_CONTAINERS:
            return False
        links = links_in(element)
        if self._links_examined + len(links) > _MAX_LINKS:
            return False
        self._links_examined += len(links)
        return is_contents_list(element, links, self.document.path, self._reading.contents)

    def _leave_out_contents(self) -> None:
        passages = self.document.passages
        if passages and passages[-1].level and is_contents_title(passages[-1].text):
            passages.pop()
        self.document.has_contents = True

    def _mark(self, element: etree._Element) -> None:
        """Remember where the anchors of an element lead."""
        names = (element.get("id"), element.get("{http://www.w3.org/XML/1998/namespace}id"), element.get("name"))
        for anchor in filter(None, names):
            if anchor in self._boundaries and anchor not in self.document.anchors and not self._level:
                self.flush()
            self.document.anchors.setdefault(anchor, len(self.document.passages))

    def _describe(self, alt: str, source: str) -> None:
        link = resolve(self.document.path, source)
        if link is None or link.path != self._reading.cover:
            self._pieces.append(alt if len(alt) == 1 else f" {alt} ")  # an initial belongs to its word

    def flush(self) -> None:
        """End the passage in progress."""
        whole = "".join(self._pieces)
        self._pieces.clear()
        for part in [whole] if self._level else _EMPTY_LINE.split(whole):
            if text := tidy(part.replace(_BREAK, " ")):
                note = self._notes[-1] if self._notes else None
                self.document.passages.append(Passage(text, self._level, note))
