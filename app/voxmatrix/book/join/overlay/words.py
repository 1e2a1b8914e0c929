"""The words of a document of the author's, with their places in its text."""

import re
import unicodedata
from array import array
from dataclasses import dataclass, field

from lxml import etree

from voxmatrix.book.read.marks import ROMAN, number_of
from voxmatrix.book.read.markup import BLOCKS, attribute, local_name, text_of, tidy
from voxmatrix.book.read.unspoken import is_note_reference, is_unspoken

#: Ends a paragraph, and a line. Documents cannot contain the first.
PARAGRAPH_END, LINE_END = "\x1e", "\n"
#: Elements that are marked as a whole, if at all: there may be no span in them.
WHOLE = frozenset(("img", "math", "svg", "object", "button", "input", "iframe", "canvas"))
#: Signs of which each is a word, since there are no blanks between words: Chinese, Japanese, Thai, Lao, Burmese, Khmer.
_SIGNS = "\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_INVISIBLE = "\u00ad\u200b\u2060\ufeff"
_LETTER = rf"[^\W_{_SIGNS}]"
_WORD = re.compile(rf"[{_SIGNS}]|{_LETTER}(?:[{_INVISIBLE}]*{_LETTER})*")
_NO_LETTER = re.compile(f"[{_INVISIBLE}]")
_APART = BLOCKS | {"td", "th"}
_ROMAN = re.compile(ROMAN)


@dataclass
class Flat:
    """The text of a document, where in it each element begins and ends, and which elements are paragraphs or lines."""

    text: str
    places: dict[etree._Element, tuple[int, int]]
    apart: set[etree._Element]


@dataclass
class Words:
    """The words of a document: each as a number, and where it begins and ends in the flat text."""

    numbers: "array[int]" = field(default_factory=lambda: array("l"))
    starts: "array[int]" = field(default_factory=lambda: array("l"))
    ends: "array[int]" = field(default_factory=lambda: array("l"))


class Vocabulary:
    """Numbers for words: those that are read alike have the same one, e.g. `IV` and `4`."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def words(self, text: str) -> Words:
        """The words of a text."""
        found = Words()
        for match in _WORD.finditer(text):
            found.numbers.append(self._number(match[0]))
            found.starts.append(match.start())
            found.ends.append(match.end())
        return found

    def _number(self, word: str) -> int:
        key = unicodedata.normalize("NFKC", _NO_LETTER.sub("", word)).casefold()
        key = str(number_of(key)) if _ROMAN.fullmatch(key) else key.lstrip("0") or "0"
        return self._numbers.setdefault(key, len(self._numbers))


def flatten(root: etree._Element) -> Flat:
    """The text of a document without what is never read. Paragraphs and lines end where a reader sees them end."""
    flattener = _Flattener()
    flattener.visit(root)
    return Flat("".join(flattener.pieces), flattener.places, flattener.apart)


class _Flattener:
    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.places: dict[etree._Element, tuple[int, int]] = {}
        self.apart: set[etree._Element] = set()
        self._length = 0

    def visit(self, element: etree._Element) -> None:
        name = local_name(element)
        start = self._length
        if not name or is_unspoken(element, name) or is_note_reference(element, name):
            self.places[element] = (start, start)
        elif name in WHOLE:
            self._add(_description(element, name))
            self.places[element] = (start, self._length)
        elif name == "br":
            self._add(LINE_END)
            self.places[element] = (start, self._length)
        else:
            if name in _APART or _is_line(element, name):
                self.apart.add(element)
            self._read(element, PARAGRAPH_END if element in self.apart else "")

    def _read(self, element: etree._Element, around: str) -> None:
        self._add(around)
        start = self._length
        self._add(element.text or "")
        for child in element:
            self.visit(child)
            self._add(child.tail or "")
        self.places[element] = (start, self._length)
        self._add(around)

    def _add(self, text: str) -> None:
        self.pieces.append(text)
        self._length += len(text)


def _description(element: etree._Element, name: str) -> str:
    """The words for what is no text. One letter is the picture of an initial, which belongs to its word."""
    text = tidy(attribute(element, "alttext") or text_of(element) if name == "math" else text_of(element))
    text = text or tidy(attribute(element, "alt"))
    return text if len(text) == 1 else f" {text} "


def _is_line(element: etree._Element, name: str) -> bool:
    """Whether a span is a line of verse: a line break is next to it."""
    before, after = element.getprevious(), element.getnext()
    ends = before is not None and local_name(before) == "br" and not (before.tail or "").strip()
    begins = after is not None and local_name(after) == "br" and not (element.tail or "").strip()
    return name == "span" and (ends or begins)
