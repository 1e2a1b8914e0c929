"""A list of words and how to say them: a respelling, or phonemes in [[brackets]]. Also for single languages."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.patterns import any_of
from voxmatrix.text.normalisation.say_as import SAY_AS
from voxmatrix.text.symbols import GIVEN_PHONEMES

_WORD = r"\w+(?:['\u2019.-]\w+)*"
_PART = lazy_pattern(r"\w+")
_PARTS = lazy_pattern(rf"{GIVEN_PHONEMES}|[^\[]+")
_TAG = lazy_pattern(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")
#: Of espeak-ng.
_OTHER_NAMES = {"cmn": "zh", "nb": "no"}

Entries = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lexicon:
    """Pairs of a word or phrase and what to say instead. Words in lower case stand for every case."""

    entries: Entries = ()
    #: Those of one language each, which are stronger, by its tag: `de`, `en-gb`. A tag or a voice without a region is
    #: for all regions.
    sections: tuple[tuple[str, Entries], ...] = ()

    @classmethod
    def of(cls, words: Mapping[str, Mapping[str, str]]) -> Self:
        """The lexicon of these words by the tags of their languages; "" is every language."""
        sections = {normal_tag(tag): tuple(said.items()) for tag, said in words.items() if tag and said}
        return cls(tuple(words.get("", {}).items()), tuple(sections.items()))

    def apply(self, text: str, language: str = "") -> str:
        """The text with its words replaced, but for what is in [[brackets]] already.

        `language`: a voice of espeak-ng or a language tag; "" has the words of every language only.
        """
        if self.sections:
            return self._of(normal_tag(language)).apply(text)
        return self._pattern.sub(self._replacement, composed(text)) if self.entries else text

    def under(self, stronger: "Lexicon") -> "Lexicon":
        """This lexicon with the words of another one, which are said as the other says."""
        words = {"": {**_without(self.entries, stronger.entries), **dict(stronger.entries)}}
        words |= {tag: _without(own, stronger._of(tag).entries) for tag, own in self.sections}
        for tag, own in stronger.sections:
            words[tag] = {**words.get(tag, {}), **dict(own)}
        return Lexicon.of(words)

    def needed(self, text: str) -> "Lexicon":
        """This lexicon with only those words that a text may have."""
        if not self.entries and not self.sections:
            return self
        folded = composed(text).casefold()

        def of(own: Entries) -> Entries:
            return tuple((word, spoken) for word, spoken in own if self._folded[word] in folded)

        sections = ((tag, of(own)) for tag, own in self.sections)
        return Lexicon(of(self.entries), tuple((tag, own) for tag, own in sections if own))

    def _of(self, language: str) -> "Lexicon":
        """The words of a language alone: those of its region are the strongest."""
        if language not in self._by_language:
            found = dict(self.entries)
            for tag, own in sorted(self.sections, key=lambda section: len(section[0])):
                if f"{language}-".startswith(f"{tag}-") or tag.startswith(f"{language}-"):
                    found.update(own)
            self._by_language[language] = Lexicon(tuple(found.items()))
        return self._by_language[language]

    @cached_property
    def _by_language(self) -> "dict[str, Lexicon]":
        return {}

    @cached_property
    def _folded(self) -> dict[str, str]:
        words = (word for own in (self.entries, *(own for _, own in self.sections)) for word, _ in own)
        return {word: composed(word).casefold() for word in words}

    @cached_property
    def _spoken(self) -> dict[str, str]:
        return {composed(word): spoken for word, spoken in self.entries}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Brackets, then phrases, then words, which are looked up: lexicons may be long."""
        phrases = [word for word in self._spoken if re.fullmatch(_WORD, word) is None]
        small = any_of(phrase for phrase in phrases if phrase.islower())
        exact = any_of(phrase for phrase in phrases if not phrase.islower())
        return re.compile(rf"{GIVEN_PHONEMES}|{SAY_AS}|(?<!\w)(?P<phrase>(?i:{small})|{exact})(?!\w)|{_WORD}")

    def _replacement(self, match: re.Match[str]) -> str:
        written = match[0]
        if written.startswith(("[[", "[say-as:")):
            return written
        spoken = self._find(written)
        if spoken is not None or match["phrase"]:
            return spoken or written
        return _PART.sub(lambda part: self._find(part[0]) or part[0], written)

    def _find(self, written: str) -> str | None:
        return self._spoken.get(written) or self._spoken.get(written.lower())


def normal_tag(language: str) -> str:
    """The tag of a language as sections have it: `en-gb` for en_GB, `zh` for cmn."""
    base, mark, region = language.strip().lower().replace("_", "-").partition("-")
    return f"{_OTHER_NAMES.get(base, base)}{mark}{region}"


def is_tag(language: str) -> bool:
    """Whether this may be the tag of a language."""
    return _TAG.fullmatch(language) is not None


def _without(words: Entries, stronger: Entries) -> dict[str, str]:
    """The words that others do not stand for."""
    others = dict(stronger)
    return {word: spoken for word, spoken in words if word not in others and word.lower() not in others}


def composed(text: str) -> str:
    """A text with accents as parts of letters (NFC), whatever the system that wrote it does; phonemes as they are."""
    if unicodedata.is_normalized("NFC", text):
        return text
    return _PARTS.sub(lambda part: part[0] if part[0].startswith("[[") else unicodedata.normalize("NFC", part[0]), text)
