"""A list of words and how to say them: a respelling, or phonemes in [[brackets]]."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from voxmatrix.errors import BadInputError
from voxmatrix.files import entries
from voxmatrix.text.normalisation.patterns import any_of
from voxmatrix.text.symbols import GIVEN_PHONEMES

_WORD = r"\w+(?:['\u2019.-]\w+)*"
_PART = re.compile(r"\w+")
_FORMAT = "write word|respelling or word|[[phonemes]] on every line; # begins a comment"


@dataclass(frozen=True)
class Lexicon:
    """Pairs of a word or phrase and what to say instead. Words in lower case stand for every case."""

    entries: tuple[tuple[str, str], ...] = ()

    def apply(self, text: str) -> str:
        """The text with its words replaced, but for what is in [[brackets]] already."""
        return self._pattern.sub(self._replacement, text) if self.entries else text

    @cached_property
    def _spoken(self) -> dict[str, str]:
        return dict(self.entries)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        """Brackets, then phrases, then words, which are looked up: lexicons may be long."""
        phrases = [word for word, _ in self.entries if re.fullmatch(_WORD, word) is None]
        small = any_of(phrase for phrase in phrases if phrase.islower())
        exact = any_of(phrase for phrase in phrases if not phrase.islower())
        return re.compile(rf"{GIVEN_PHONEMES}|(?<!\w)(?P<phrase>(?i:{small})|{exact})(?!\w)|{_WORD}")

    def _replacement(self, match: re.Match[str]) -> str:
        written = match[0]
        if written.startswith("[["):
            return written
        spoken = self._find(written)
        if spoken is not None or match["phrase"]:
            return spoken or written
        return _PART.sub(lambda part: self._find(part[0]) or part[0], written)

    def _find(self, written: str) -> str | None:
        return self._spoken.get(written) or self._spoken.get(written.lower())


def read_lexicon(path: Path) -> Lexicon:
    """Read a UTF-8 file with a line `word|respelling` or `word|[[phonemes]]` for each word (or tabs instead of |).

    Raises:
        BadInputError: it cannot be read, has no words, a line has another form, or a word is listed twice.
    """
    words: dict[str, str] = {}
    for place, line in entries(path):
        word, _, spoken = (part.strip() for part in line.partition("\t" if "\t" in line else "|"))
        if not word or not spoken:
            raise BadInputError(f"{place}: {line!r} is not a word and how to say it", _FORMAT)
        if spoken.count("[[") != spoken.count("]]"):
            raise BadInputError(f"{place}: {line!r} has [[ without ]]", _FORMAT)
        if word in words:
            raise BadInputError(f"{place}: {word!r} is listed twice", "remove one of the lines")
        words[word] = spoken
    if not words:
        raise BadInputError(f"{path} lists no words", f"{_FORMAT}; or leave out `lexicon`")
    return Lexicon(tuple(words.items()))
