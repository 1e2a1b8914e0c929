"""Lines to text: words that are divided at the end of a line, ligatures, and initials."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from voxmatrix.book.read.pdf.lines import Line

_LIGATURES = str.maketrans(
    {"\ufb00": "ff", "\ufb01": "fi", "\ufb02": "fl", "\ufb03": "ffi", "\ufb04": "ffl", "\ufb05": "st", "\ufb06": "st"}
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_BEFORE = re.compile(r"(?:[^\W\d_]+['\u2019-])*([^\W\d_]+)[-\u2010\u00ad]$")
_AFTER = re.compile(r"([^\W\d_]+)(?:['\u2019-][^\W\d_]+)*")
#: `Nord- und Südsee`: behind such a hyphen the word is left out, not divided.
_AND = frozenset((
    "und", "oder", "bis", "sowie", "and", "or", "to", "et", "ou", "och", "eller", "en", "of", "og", "e", "ed",
    "o", "y", "u",
))  # fmt: skip
_HYPHENS = ("-", "\u2010", "\u00ad")
#: Signs of Chinese and Japanese, between which no space stands.
_SIGNS = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")
_DASHES = ("\u2014", "\u2013", "/")
_MIN_PART = 3
_LONGEST = 80


class Words:
    """How often each word stands in the book, other than divided."""

    def __init__(self, lines: Iterable[Line]) -> None:
        self._counts: Counter[str] = Counter()
        ends: Counter[str] = Counter()
        halves: list[tuple[str, str]] = []
        before = ""
        for line in lines:
            words = _WORD.findall(line.text.translate(_LIGATURES))
            is_divided = line.text.endswith(_HYPHENS)
            ends[line.text[-1:]] += 1
            self._counts.update(words[bool(before) : len(words) - is_divided])
            if before and words:
                halves.append((before, words[0]))
            before = words[-1] if words and is_divided else ""
        compounds = [word.lower().split("-") for word in self._counts if "-" in word]
        #: How many compounds each part begins, and how many it ends.
        self._firsts = Counter(parts[0] for parts in compounds)
        self._lasts = Counter(parts[-1] for parts in compounds)
        for word, count in list(self._counts.items()):
            if not word.islower():
                self._counts[word.lower()] += count
        #: Whether words are divided by signs of their own, and a hyphen is one.
        self._has_signs = ends["\u2010"] + ends["\u00ad"] > ends["-"]
        found = [self._found(*parts) for parts in halves]
        #: Whether words are divided at all; programs of offices and browsers mostly do not.
        self._divides = sum(whole > compound for whole, compound in found) >= sum(
            compound > whole for whole, compound in found
        )

    def _found(self, before: str, after: str) -> tuple[int, int]:
        """How often two halves are a word elsewhere, and how often with a hyphen."""
        return self._counts[(before + after).lower()], self._counts[f"{before}-{after}".lower()]

    def text(self, lines: Sequence[Line]) -> str:
        """The text of lines that belong together."""
        pieces: list[str] = []
        for line in lines:
            text = self._with_initial(line).translate(_LIGATURES)
            if pieces and pieces[-1] and text:
                pieces[-1] = self._ended(pieces[-1], text)
            pieces.append(text)
        return "".join(pieces).replace("\u00ad", "")

    def _with_initial(self, line: Line) -> str:
        if not line.initial:
            return line.text
        word = _AFTER.search(line.initial[-1] + line.text)
        is_word = len(line.initial.strip("\"'\u2018\u201c\u00ab\u00bb")) == 1 and line.initial[-1] in "AIOÀÉYU"
        rest = _AFTER.match(line.text)
        if is_word and word and rest and not self._counts[word[0].lower()] and self._counts[rest[0]] > 1:
            return f"{line.initial} {line.text}"
        return line.initial + line.text

    def _ended(self, text: str, line: str) -> str:
        """A line as it ends before the next one: with a space, or without the hyphen of a word that is divided."""
        before, after = _BEFORE.search(text[-_LONGEST:]), _AFTER.match(line)
        if before and after:
            return self._mended(text, before[0][:-1], after[0])
        if text[-1] in _HYPHENS and text[-2:-1].isdigit() and line[0].isdigit():
            return text
        if text[-1] in _DASHES and text[-2:-1] not in ("", " "):
            return text
        return text if _SIGNS.match(text[-1]) and _SIGNS.match(line) else f"{text} "

    def _mended(self, text: str, before: str, after: str) -> str:
        """The first half of a divided word, with its hyphen if that is one of the word."""
        if text[-1] == "\u00ad" or self._has_signs:
            return text if text[-1] == "-" else text[:-1]
        whole, compound = self._found(before, after)
        if after in _AND and not whole:
            return f"{text} "
        if not self._divides:
            return text
        is_compound = compound > whole if whole or compound else self._makes_compound(before, after)
        return text if is_compound else text[:-1]

    def _makes_compound(self, before: str, after: str) -> bool:
        """Whether a word that stands nowhere else is likely to have a hyphen: its parts do elsewhere, or are words."""
        first, last = before.lower().split("-")[-1], after.partition("-")[0]
        known = self._counts[first] > 0, self._counts[last] > 0
        return (
            not last[0].islower()
            or (self._firsts[first] > 1 and known[1])
            or (self._lasts[last] > 1 and known[0])
            or (min(len(first), len(last)) >= _MIN_PART and min(self._counts[first], self._counts[last]) > 1)
        )
