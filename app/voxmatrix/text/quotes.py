"""What of a text stands in quotation marks, and what in *asterisks*, as novels, chats and games write them."""

import re
from collections.abc import Iterator
from typing import Literal

#: Who says a part of a text: a character (in quotation marks), what is in asterisks, or the narrator.
Kind = Literal["dialogue", "emphasis", ""]

#: By the mark that opens a quotation: those that close it. In Finnish and Swedish the two are alike, German guillemets
#: point inwards, and a German quotation ends with what opens an English one.
_CLOSING = {
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u201d": "\u201d",
    "\u00ab": "\u00bb",
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
_MARK = re.compile(rf"\n[^\S\n]*\n|[\u2018{''.join(_CLOSING)}{''.join(_CLOSING.values())}]")
#: British dialogue ends with a mark inside; what does not could begin or end with an apostrophe.
_SINGLE = re.compile(r"(?<![\w\u2019])\u2018(?=\S)(?:(?!\n\s*\n)[^\u2018])*?[.,!?;:\u2026\u2014\u2013-]\u2019(?!\w)")
#: It belongs to what stands before it.
_PUNCTUATION = re.compile(r"[,.;:!?\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f]+")
#: Scripts that put no spaces between words begin here.
_FIRST_WITHOUT_SPACES = "\u2e80"


class Quotes:
    """Reads a text part by part. What is still open at the end of a part goes on, until its paragraph ends."""

    def __init__(self, *, dialogue: bool, emphasis: bool) -> None:
        """Which of the two are looked for; the marks of the other are text."""
        self._kinds: dict[str, Kind] = dict.fromkeys(_CLOSING, "dialogue") if dialogue else {}
        self._kinds.pop("*", None)
        if emphasis:
            self._kinds["*"] = "emphasis"
        self._dialogue = dialogue
        self._open: Kind = ""
        self._closing = ""

    def split(self, text: str) -> Iterator[tuple[Kind, str]]:
        """The parts of a text by who says them, none without a letter or a digit unless the whole text has none.

        Quotation marks stay with what they enclose; asterisks are left out.
        """
        kind: Kind = ""
        held = ""
        for found, part in self._parts(text):
            if found != kind and _has_word(held) and _has_word(part):
                end = _PUNCTUATION.match(part)
                length = end.end() if end else 0
                yield kind, held + part[:length]
                kind, held = found, part[length:]
                continue
            if not _has_word(held):
                kind = found
            held += part
        if held:
            yield kind, held

    def _parts(self, text: str) -> Iterator[tuple[Kind, str]]:
        start = place = 0
        while match := _MARK.search(text, place):
            mark, here, place = match[0], match.start(), match.end()
            if mark[0] == "\n":
                yield self._open, text[start:here]
                self._open, start = "", here
            elif self._open:
                if mark in self._closing and _closes(text, here):
                    yield self._open, text[start : here if mark == "*" else place]
                    self._open, start = "", place
            elif mark == "\u2018":
                if self._dialogue and (quoted := _SINGLE.match(text, here)):
                    place = quoted.end()
                    yield "", text[start:here]
                    yield "dialogue", text[here:place]
                    start = place
            elif mark in self._kinds and _opens(text, here):
                yield "", text[start:here]
                self._open, self._closing = self._kinds[mark], _CLOSING[mark]
                start = place if mark == "*" else here
        yield self._open, text[start:]


def _opens(text: str, place: int) -> bool:
    """Whether a mark opens something: it stands before a word and, in scripts with spaces, not behind one (5" wide)."""
    mark, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if mark in _OPENING:
        return True
    behind_word = before.isalnum() and before < _FIRST_WITHOUT_SPACES
    return bool(after) and not after.isspace() and not behind_word and not (mark == "*" and "*" in (before, after))


def _closes(text: str, place: int) -> bool:
    """Whether a mark that can close what is open does so. One that opens as well stands behind a word then."""
    mark, before, after = text[place], text[place - 1 : place], text[place + 1 : place + 2]
    if mark == "*":
        return not (before.isspace() or after.isalnum() or "*" in (before, after))
    return mark != '"' or not before.isspace() or not after or after.isspace()


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text)
