"""Where espeak-ng ends a clause. It prints a clause's phonemes without the mark that ended it; the mark is found here.

The rules were learnt by watching the program: tests/text/test_clauses.py holds them against its library.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

#: What Piper writes for a mark. Those that need no space after them end a clause without being written.
_MARKS = {
    ".": ".",
    "!": "!",
    "?": "?",
    ",": ",",
    ":": ":",
    ";": ";",
    "\u2013": ";",  # dashes
    "\u2014": ";",
    "\u060c": ",",  # Arabic
    "\u061b": ";",
    "\u061f": "?",
    "\u06d4": ".",
    "\u037e": "?",  # Greek
    "\u0387": ";",
    "\u1362": ".",  # Ethiopic
    "\u1363": ",",
    "\u1364": ";",
}
#: These end a clause with or without a space behind them, and Piper writes nothing for them: the ellipsis, the inverted
#: marks, the Armenian and the Indian full stop, the marks of Chinese and Japanese.
_SILENT_MARKS = "\u2026\u00a1\u00bf\u0589\u0964\u3001\u3002\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\uff61\uff64"
_OPENING = frozenset(
    "()[]{}<>\"'`\u00ab\u00bb"
    + "".join(map(chr, range(0x2014, 0x2020)))
    + "\u2039\u203a\u3008\u3009\u300a\u300b\u300c\u300d"
)
_CANDIDATE = re.compile(r"\.{3,}|[" + re.escape("".join(_MARKS) + _SILENT_MARKS) + "]")


@dataclass(frozen=True)
class Clause:
    """A stretch that espeak-ng reads at once: the text with its mark, and the mark as Piper writes it ("" if none)."""

    text: str
    mark: str


def clauses(text: str) -> Iterator[Clause]:
    """The clauses of one line of text, in order; joined with spaces they are the line."""
    start = 0
    position = 0
    while (match := _CANDIDATE.search(text, position)) is not None:
        written = "…" if match.group().startswith("...") else match.group()
        position = match.end()
        if written in "!?":
            position = _skip(text, position, "!?")
        if _ends(text, start, match.start(), position, written):
            yield Clause(text[start:position].strip(), _MARKS.get(written, ""))
            start = position
    if text[start:].strip():
        yield Clause(text[start:].strip(), "")


def _ends(text: str, start: int, mark: int, after: int, written: str) -> bool:
    following = text[after : after + 1]
    if following and not (following.isspace() or following in _OPENING or written in _SILENT_MARKS):
        return False
    if not any(character.isalnum() for character in text[start:mark]):
        return False
    return not (written == "." and _next_letter(text, after).islower())


def _next_letter(text: str, position: int) -> str:
    while text[position : position + 1].isspace():
        position += 1
    return text[position : position + 1]


def _skip(text: str, position: int, marks: str) -> int:
    while text[position : position + 1] and text[position] in marks:
        position += 1
    return position
