"""What of a text stands in quotation marks, and what in *asterisks*, as novels, chats and games write them."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeVar

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.speech.dashes import incises, opening, turns
from voxmatrix.text.speech.language import SpeechOfLanguage, speech_of

#: Who says a part of a text: a character (in quotation marks), what is in asterisks, or the narrator.
Kind = Literal["dialogue", "emphasis", ""]

Speaker = TypeVar("Speaker")

#: By the mark that opens a quotation: those that close it. In Finnish and Swedish the two are alike, German guillemets
#: point inwards, and a German quotation ends with what opens an English one.
_CLOSING = {
    "\u201c": "\u201d",
    "\u201e": '\u201c\u201d"',
    "\u201d": "\u201d",
    "\u00ab": "\u00bb\u00ab",
    "\u00bb": "\u00ab\u00bb",
    "\u2039": "\u203a",
    "\u203a": "\u2039\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
    '"': '"',
    "*": "*",
}
#: These open wherever they stand, if nothing is open. Others do at the beginning of a word.
_OPENING = "\u201c\u201e\u00ab\u2039\u300c\u300e"
_MARK = lazy_pattern(rf"[\u2018{''.join(_CLOSING)}{''.join(_CLOSING.values())}]")
#: It opens, and closes in some old books as well.
_BOTH = "\u00ab"
_CONTINUES = "\u00bb"
_BLANK_LINE = lazy_pattern(r"\n[^\S\n]*\n")
_SINGLE_OPENING = "\u2018"
#: British dialogue ends with a mark inside; what does not could begin or end with an apostrophe.
_SINGLE = lazy_pattern(r"(?<![\w\u2019])\u2018(?=\S)(?:(?!\n\s*\n)[^\u2018])*?[.,!?;:\u2026\u2014\u2013-]\u2019(?!\w)")
#: It belongs to what stands before it.
_PUNCTUATION = lazy_pattern(r"[,.;:!?\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]+")
#: Scripts that put no spaces between words begin here.
_FIRST_WITHOUT_SPACES = "\u2e80"


@dataclass(frozen=True)
class Marks:
    """Which marks of speech are looked for."""

    #: Those that open quotations.
    openings: frozenset[str] = frozenset(_CLOSING) - {"*"} | {_SINGLE_OPENING}
    #: Dashes, in languages where they open speech, and hyphens that stand for them.
    dashes: bool = True
    hyphens: bool = False
    #: `'…'` stands for ‘…’.
    straight: bool = False


class Quotes:
    """Reads a text part by part. What is still open at the end of a part goes on, until its paragraph ends."""

    def __init__(self, *, dialogue: bool, emphasis: bool, language: str = "", marks: Marks | None = None) -> None:
        """Which of the two are looked for; the marks of the other are text.

        In some languages (`text/speech.toml`), speech may begin with a dash, and the narrator speaks within quotations.
        """
        self._language = speech_of(language)
        self._marks = marks or Marks()
        openings: Collection[str] = self._marks.openings if dialogue else ()
        self._kinds: dict[str, Kind] = {mark: "dialogue" for mark in _CLOSING if mark in openings}
        if emphasis:
            self._kinds["*"] = "emphasis"
        self._single = _SINGLE_OPENING in openings
        self._dashes = dialogue and self._marks.dashes and self._language.dash != ""
        self._begins = True  # a paragraph
        self._turn: Kind | None = None  # who speaks in a paragraph that a dash has opened
        self._open: Kind = ""
        self._closing = ""

    @property
    def language(self) -> SpeechOfLanguage:
        """How speech is written in the language of the text."""
        return self._language

    @property
    def is_open(self) -> bool:
        """Whether a quotation is open where the last part has ended."""
        return self._open == "dialogue"

    @property
    def closing(self) -> str:
        """The marks that close the last quotation."""
        return self._closing

    def begins_with_dash(self, paragraph: str) -> bool:
        """Whether speech behind a dash begins with a paragraph."""
        return self._dashes and opening(paragraph, begins=True, hyphens=self._marks.hyphens) == 0

    def end_paragraph(self) -> None:
        """What is open ends."""
        self._begins, self._turn, self._open = True, None, ""

    def split(self, text: str) -> Iterator[tuple[Kind, str]]:
        """The parts of a text by who says them, none without a letter or a digit unless the whole text has none.

        Quotation marks stay with what they enclose; asterisks are left out.
        """
        return pieces_with_words(self.parts(text))

    def parts(self, text: str) -> Iterator[tuple[Kind, str]]:
        """All parts of a text, also those without a word."""
        place = 0
        for blank in _BLANK_LINE.finditer(text):
            yield from self._paragraph(text[place : blank.start()])
            self.end_paragraph()
            place = blank.start()
        yield from self._paragraph(text[place:])

    def _paragraph(self, text: str) -> Iterator[tuple[Kind, str]]:
        """The parts of a paragraph, or of a part of it."""
        begins, self._begins = self._begins, self._begins and not text.strip()
        place = 0
        if self._dashes and self._turn is None:
            first = opening(text, begins=begins, hyphens=self._marks.hyphens)
            place = len(text) if first is None else first
            yield from self._quotations(text[:place])
            if first is None or self._open:
                yield from self._quotations(text[place:])
                return
            self._turn = "dialogue"
        if self._turn is None:
            yield from self._quotations(text)
            return
        said = turns(text[place:], self._language, speaking=bool(self._turn), hyphens=self._marks.hyphens)
        for speaking, start, end in said:
            self._turn = "dialogue" if speaking else ""
            yield self._turn, text[place + start : place + end]

    def _quotations(self, text: str) -> Iterator[tuple[Kind, str]]:
        for kind, part in self._marked(text):
            if kind != "dialogue":
                yield kind, part
                continue
            for speaking, start, end in self.inside(part):
                yield "dialogue" if speaking else "", part[start:end]

    def inside(self, text: str) -> Iterator[tuple[bool, int, int]]:
        """Who speaks within a quotation from where to where: whether it is a character, else the narrator.

        Where dashes have turns, what `»` at the beginning of a paragraph continues is told by one person.
        """
        if self._language.narrates is None:
            yield from incises(text, self._language)
        elif text.startswith(_CONTINUES):
            yield True, 0, len(text)
        else:
            yield from turns(text, self._language, speaking=True, hyphens=self._marks.hyphens)

    def _marked(self, text: str) -> Iterator[tuple[Kind, str]]:
        start = place = 0
        while match := _MARK.search(text, place):
            mark, here, place = match[0], match.start(), match.end()
            if self._open:
                if mark in self._closing and _closes(text, here, self._closing):
                    yield self._open, text[start : here if mark == "*" else place]
                    self._open, start = "", place
            elif mark == _SINGLE_OPENING:
                if self._single and (quoted := _SINGLE.match(text, here)):
                    place = quoted.end()
                    yield "", text[start:here]
                    yield "dialogue", text[here:place]
                    start = place
            elif mark in self._kinds and opens(text, here):
                yield "", text[start:here]
                self._open, self._closing = self._kinds[mark], _CLOSING[mark]
                start = place if mark == "*" else here
        yield self._open, text[start:]


def pieces_with_words(parts: Iterable[tuple[Speaker, str]]) -> Iterator[tuple[Speaker, str]]:
    """Parts of a text with those who say them, none without a word unless the whole text has none.

    Punctuation stays with what stands before it: `"Yes", she said` is `"Yes",` and `she said`.
    """
    held: tuple[Speaker, str] | None = None
    for speaker, part in parts:
        if held is None or not has_word(held[1]):
            held = speaker, (held[1] if held else "") + part
        elif speaker == held[0] or not has_word(part):
            held = held[0], held[1] + part
        else:
            end = _PUNCTUATION.match(part)
            length = end.end() if end else 0
            yield held[0], held[1] + part[:length]
            held = speaker, part[length:]
    if held is not None and held[1]:
        yield held


def closing_of(mark: str) -> str | None:
    """The marks that close what a mark opens; None if it opens nothing."""
    return _CLOSING.get(mark) if mark != "*" else None


def opens(text: str, place: int) -> bool:
    """Whether a mark opens something: it stands before a word and, in scripts with spaces, not behind one (5" wide)."""
    mark, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if mark in _OPENING:
        return True
    behind_word = before.isalnum() and before < _FIRST_WITHOUT_SPACES
    return bool(after) and not after.isspace() and not behind_word and not (mark == "*" and "*" in (before, after))


def _closes(text: str, place: int, closing: str) -> bool:
    """Whether a mark that can close what is open does so. One that opens as well stands behind a word then."""
    mark, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if mark == "*":
        return not (before.isspace() or after.isalnum() or "*" in (before, after))
    if mark == _BOTH != closing[0]:
        return not (before.isspace() or after.isalnum())
    return mark != '"' or not before.isspace() or not after or after.isspace()


def has_word(text: str) -> bool:
    """Whether there is a letter or a digit."""
    return any(character.isalnum() for character in text)
