"""A document to its passages: paragraphs, headings, items, rows, each with the anchors that lead to it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from lxml import etree

from voxmatrix.book.read.formulas import formula
from voxmatrix.book.read.marks import (
    joined_lines,
    lowered,
    paragraph_or_contents,
    raised,
    with_fractions,
    without_numbers_of_notes_and_pages,
)
from voxmatrix.book.read.markup import (
    BLOCKS,
    HEADINGS,
    attribute,
    children,
    descendants,
    links_in,
    local_name,
    resolve,
    text_of,
    tidy,
)
from voxmatrix.book.read.passage import Document, Passage
from voxmatrix.book.read.play_marks import mark_play, without_play_marks
from voxmatrix.book.read.semantics import is_verse_number, kind_of, shift_of
from voxmatrix.book.read.unspoken import (
    MAY_BE_CONTENTS,
    Listed,
    NoteStart,
    is_contents_list,
    is_contents_title,
    is_note_reference,
    is_unspoken,
    note_start,
    spoken_alt,
)

#: Stand for a line break, and before a bracket that is no mark. Documents do not contain them.
_BREAK, _NO_MARK = "\0", "\1"
VERSE = "\2"  # before the number of a verse, until `verse_numbers` has seen the whole book
_EMPTY_LINE = re.compile(rf"{_BREAK}\s*(?:{_BREAK}\s*)+")
#: In elements within elements, each link is examined again: a hostile document would take hours.
_MAX_CONTAINERS = 20
_MAX_LINKS = 60_000
_PAIR = 2
_CODE = ("code", "kbd", "samp", "tt", "var")
#: How much is looked at before a number.
_SOME_PIECES, _SOME_CHARACTERS = 8, 80
#: Longer descriptions are of pictures; shorter ones of signs that were not in a font.
_MAX_GLYPH = 3
#: Longer raised text has no number to be read as one.
_MAX_SHIFTED = 12
_NUMBER_BEFORE = re.compile(r"(?:\d|(?<!\w)[IVXLC]{2,})$")
_DIVIDED = re.compile(r"[^\W\d_]-\s*$")
_ENDS_WITH_MARK = re.compile(r"[.,;:!?\u2026\u3002]\s*$")


@dataclass(frozen=True)
class ReadingOptions:
    """What a document is read for."""

    #: Whether descriptions of pictures are read where they stand.
    pictures: bool = False
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
    if path in reading.contents.pages and document.has_contents:
        headings = [passage for passage in document.passages if "contents" not in passage.kinds]
        if all(passage.level for passage in headings):
            reader.are_contents(headings)
    return document


class _Reader:
    def __init__(self, path: str, reading: ReadingOptions) -> None:
        self.document = Document(path)
        self._reading = reading
        self._boundaries = {link.anchor for link in reading.contents.titles if link.path == path and link.anchor}
        self._pieces: list[str] = []
        self._level = 0
        self._kinds: tuple[str, ...] = ()
        self._notes: list[NoteStart] = []
        self._pictures: list[str] = []  # their descriptions, in the passage in progress
        self._containers = 0
        self._links_examined = 0

    def visit(self, element: etree._Element) -> None:
        name = local_name(element)
        if not name:
            return
        if self._stands_alone(name):
            self.flush()
        elif name in BLOCKS and element.getprevious() is not None:
            self._pieces.append(_BREAK)
        self._mark(element)
        if self._leaves_out(element, name):
            for inner in element.iter():
                self._mark(inner)
        elif name == "br":
            self._pieces.append(_BREAK)
        elif name in ("img", "math") and (alt := spoken_alt(element)) is not None:
            self._describe(alt, element, name)
        elif is_verse_number(element):
            self._pieces.append(f" {VERSE}{text_of(element).strip()} ")
        elif (shift := shift_of(element, name)) and len(text := text_of(element)) <= _MAX_SHIFTED:
            self._pieces.append(lowered(text) if shift == "sub" else self._raised(text))
            for inner in element.iter():
                self._mark(inner)
        else:
            self._read(element, name)

    def _read(self, element: etree._Element, name: str) -> None:
        level, notes, containers, kinds = self._level, len(self._notes), self._containers, self._kinds
        self._containers += name in MAY_BE_CONTENTS
        if name in HEADINGS:
            self._level = int(name[1])
        if name in BLOCKS and (note := note_start(element, self.document.path)) is not None:
            self._notes.append(note)
        if kind := self._kind(element, name):
            self.flush()
            self._kinds = (*kinds, kind)
        if name in ("td", "th"):
            self._divide_cells(element)
        if name == "math":
            self.document.formulas += 1
            self._pieces.append(f" {formula(element)} ")
        else:
            start = len(self._pieces)
            self._read_content(element, name)
            mark_play(self._pieces, start, element, name)
        if self._stands_alone(name) or kind:
            self.flush()
        self._level, self._containers, self._kinds = level, containers, kinds
        del self._notes[notes:]

    def _stands_alone(self, name: str) -> bool:
        """Whether an element ends a passage: paragraphs in cells of data are parts of their row."""
        return name in BLOCKS and not ("tables" in self._kinds and name in ("p", "div"))

    def _read_content(self, element: etree._Element, name: str) -> None:
        start = len(self._pieces)
        if name == "tspan" and (before := element.getprevious()) is not None and before.get("y") != element.get("y"):
            self._end_line(element.text or "")
        apart = self._level and name == "span" and self._follows_number(element.text or "")
        self._pieces.append((_BREAK if apart else "") + self._text(element.text or "", name))
        for child in element:
            self.visit(child)
            self._pieces.append(self._text(child.tail or "", name))
        if name in _CODE:  # brackets in it are no marks of notes
            self._pieces[start:] = [piece.replace("[", f"{_NO_MARK}[") for piece in self._pieces[start:]]

    def _end_line(self, following: str) -> None:
        """Of lines that stand one by one in a drawing (SVG): a space, or nothing in a word that is divided."""
        while self._pieces and not self._pieces[-1]:
            self._pieces.pop()
        if self._pieces and _DIVIDED.search(self._pieces[-1]) and following[:1].islower():
            self._pieces[-1] = self._pieces[-1].rstrip()[:-1]
        else:
            self._pieces.append(" ")

    def _text(self, text: str, name: str) -> str:
        """Text in an element of this name, with its line breaks where they are shown."""
        return text.replace("\n", _BREAK) if name == "pre" and "code" not in self._kinds else text

    def _follows_number(self, text: str) -> bool:
        """Whether the title of a heading begins behind its number, from which only its style sets it apart."""
        before = next((piece for piece in reversed(self._pieces[-_SOME_PIECES:]) if piece), "")
        return text[:1].isupper() and _NUMBER_BEFORE.search(before[-_SOME_CHARACTERS:]) is not None

    def _raised(self, text: str) -> str:
        before = "".join(piece[-_SOME_CHARACTERS:] for piece in self._pieces[-_SOME_PIECES:])
        found = raised(text, before.rpartition(_BREAK)[2])
        return f"{VERSE}{found}" if found == f"{text.strip()} " else found

    def _divide_cells(self, cell: etree._Element) -> None:
        """Put a comma between the cells of a row, or a colon behind the first of two: a name with what it says."""
        row = cell.getparent()
        pair = row is not None and local_name(cell) == "td" and sum(1 for _ in children(row, "td", "th")) == _PAIR
        while self._pieces:
            if last := self._pieces.pop().rstrip():
                mark = ":" if pair and any(map(str.isalpha, last)) else ","
                self._pieces += [last, " " if _ENDS_WITH_MARK.search(last) else f"{mark} "]
                return

    def _leaves_out(self, element: etree._Element, name: str) -> bool:
        if is_unspoken(element, name):
            return True
        if is_note_reference(element, name):
            links = (
                resolve(self.document.path, attribute(link, "href")) for link in element.iter() if link.get("href")
            )
            self.document.references.update(link for link in links if link is not None)
            return True
        return False

    def _kind(self, element: etree._Element, name: str) -> str:
        kind = "contents" if self._is_contents(element, name) else kind_of(element, name)
        if kind == "contents" and "contents" not in self._kinds:
            passages = self.document.passages
            if passages and passages[-1].level and is_contents_title(passages[-1].text):
                self.are_contents(passages[-1:])
            self.document.has_contents = True
        return kind

    def are_contents(self, passages: Iterable[Passage]) -> None:
        """These belong to a table of contents, too."""
        for passage in passages:
            passage.kinds = (*passage.kinds, "contents")

    def _is_contents(self, element: etree._Element, name: str) -> bool:
        if name not in MAY_BE_CONTENTS or self._containers > _MAX_CONTAINERS:
            return False
        links = links_in(element)
        if self._links_examined + len(links) > _MAX_LINKS:
            return False
        self._links_examined += len(links)
        return is_contents_list(element, links, self.document.path, self._reading.contents, self.document.anchors)

    def _mark(self, element: etree._Element) -> None:
        """Remember where the anchors of an element lead."""
        names = (element.get("id"), element.get("{http://www.w3.org/XML/1998/namespace}id"), element.get("name"))
        for anchor in filter(None, names):
            if anchor in self._boundaries and anchor not in self.document.anchors and not self._level:
                self.flush()
            self.document.anchors.setdefault(anchor, len(self.document.passages))

    def _describe(self, alt: str, element: etree._Element, name: str) -> None:
        link = resolve(self.document.path, attribute(element, "src"))
        if link is not None and link.path == self._reading.cover:
            return
        if len(alt) == 1:
            self._pieces.append(alt)  # an initial belongs to its word
        elif name == "math" or self._reading.pictures or (len(alt) <= _MAX_GLYPH and not alt.isalpha()):
            self._pieces.append(f" {alt} ")
        elif alt:
            self._pictures.append(alt)

    def flush(self) -> None:
        """End the passage in progress."""
        whole = "".join(self._pieces)
        self._pieces.clear()
        note = self._notes[-1] if self._notes else None
        paragraphs = [whole] if self._level else _EMPTY_LINE.split(whole)
        parts = (part for one in paragraphs for part in paragraph_or_contents(one, _BREAK))
        found = [text for text in map(self._tidy, parts) if text]
        if self._level and not found and self._pictures:  # the heading is a picture
            found, self._pictures = [" ".join(self._pictures)], []
        for text, line in map(without_play_marks, found):
            self.document.passages.append(Passage(text, self._level, note, self._kinds, line=line))
        described = (*self._kinds, "pictures")
        self.document.passages += (Passage(alt, 0, note, described) for alt in self._pictures)
        self._pictures.clear()

    def _tidy(self, part: str) -> str:
        lines = [tidy(line) for line in part.split(_BREAK)]
        if "code" in self._kinds:
            return " ".join(filter(None, lines))
        text = without_numbers_of_notes_and_pages(joined_lines(lines, heading=self._level > 0))
        return tidy(with_fractions(text).replace(_NO_MARK, ""))
