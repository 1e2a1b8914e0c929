"""Parts of the patterns that rules are made of."""

import re
from collections.abc import Callable, Iterable

from voxmatrix.text.lazy_pattern import lazy_pattern

CAPITAL = "[A-ZÀ-ÖØ-ÞĄĆĘŁŃŚŹŻŒ]"
SMALL = "[a-zß-öø-ÿąćęłńśźżœ]"
TEXT_ENDS = lazy_pattern(r"[^\S\n]*(?:$|\n)")
_CAPITAL_FOLLOWS = lazy_pattern(rf"\s+{CAPITAL}")

#: What is looked for, and what is spoken in its place.
Rule = tuple[re.Pattern[str], Callable[[re.Match[str]], str]]


def apply(rules: Iterable[Rule], text: str) -> str:
    """The text with each rule applied in turn."""
    for pattern, spoken in rules:
        text = pattern.sub(spoken, text)
    return text


def any_of(words: Iterable[str]) -> str:
    """An alternation, longest first; of nothing, one that never matches."""
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word))) or r"(?!)"


def sentence_ends(match: re.Match[str]) -> bool:
    """Whether a sentence ends behind a match that ends in a dot."""
    position = match.end()
    return bool(TEXT_ENDS.match(match.string, position) or _CAPITAL_FOLLOWS.match(match.string, position))
