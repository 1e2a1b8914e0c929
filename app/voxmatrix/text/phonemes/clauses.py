"""Where espeak-ng ends a clause. It prints a clause's phonemes without the mark that ended it; the mark is found here.

The rules were learnt by watching the program: tests/text/phonemes/test_clauses.py holds them against its library.
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
_SPOKEN = re.compile(r"[^\W_]")
#: Of several marks in a row the first counts.
_MORE_MARKS = re.compile("[" + re.escape("".join(_MARKS) + _SILENT_MARKS) + "]+")
_SPACES = re.compile(r"\s+")
#: Languages that write an ordinal with a dot; the program looks only at Roman ones here.
_ORDINAL_DOTS = frozenset({"da", "de", "et", "fi", "fo", "hu", "kl", "lt", "ltg", "lv", "nb", "nl", "sl", "smj"})
_ROMAN_NUMBER = re.compile(r"(?:[IVXL]|\s|^)[IVXL]$")
#: Languages whose sentences may begin with a small letter.
_SMALL_SENTENCES = frozenset({"ka", "mto", "xex"})


@dataclass(frozen=True)
class Clause:
    """A stretch that espeak-ng reads at once: the text as it stands, and its mark as Piper writes it ("" if none)."""

    text: str
    mark: str


def clauses(text: str, voice: str = "en-us") -> Iterator[Clause]:
    """The clauses of one line of text, in order; joined they are the line."""
    language = voice.split("-", maxsplit=1)[0]
    start = position = 0
    while (match := _CANDIDATE.search(text, position)) is not None:
        mark = "\u2026" if match.group().startswith("...") else match.group()
        position = match.end()
        position = _past(text, position, _MORE_MARKS)
        spoken = _SPOKEN.search(text, start, match.start()) is not None
        if (
            spoken
            and _may_end(text, position, mark)
            and (mark != "." or _dot_ends(text, match.start(), position, language))
        ):
            yield Clause(text[start:position], _MARKS.get(mark, ""))
            start = position
    if text[start:].strip():
        yield Clause(text[start:], "")


def _may_end(text: str, after: int, mark: str) -> bool:
    """Most marks end a clause only before a space or a bracket."""
    following = text[after : after + 1]
    return not following or following.isspace() or following in _OPENING or mark in _SILENT_MARKS


def _dot_ends(text: str, dot: int, after: int, language: str) -> bool:
    """Whether a dot is more than that of an abbreviation, of an ordinal or of `U.S.A.'s`."""
    following = _past(text, after, _SPACES)
    if text[following : following + 1].islower() and language not in _SMALL_SENTENCES:
        return False
    if text[following : following + 2] == "'s":
        return False
    return not (language in _ORDINAL_DOTS and _ROMAN_NUMBER.search(text, max(0, dot - 2), dot))


def _past(text: str, position: int, pattern: re.Pattern[str]) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
