"""One spelling for each word: a recogniser knows how a word sounds, not how its text writes it."""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

#: Within a word, these are no ends of it: wasn't, l’homme.
_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc")
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae"})


class _Spellings(NamedTuple):
    rules: list[tuple[re.Pattern[str], str]]
    words: dict[str, str]


def spelled(word: str, language: str) -> str:
    """A word in small letters, in the spelling that stands for all of its spellings in a language (`en-us`)."""
    found = _spellings(language.partition("-")[0])
    if word in found.words:
        return found.words[word]
    for pattern, instead in found.rules:
        if match := pattern.fullmatch(word):
            return match.expand(instead)
    return word


def words_of(text: str, language: str) -> list[str]:
    """The words of a text without its marks, each in one spelling."""
    small = unicodedata.normalize("NFC", text.casefold()).translate(_LIGATURES).translate(_APOSTROPHES)
    cleared = "".join(character if character.isalnum() else " " for character in small)
    return [spelled(word, language) for word in cleared.split()]


@cache
def _spellings(language: str) -> _Spellings:
    table = tomllib.loads(Path(__file__).with_name("spelling.toml").read_text(encoding="utf-8")).get(language, {})
    rules = [(re.compile(pattern), instead) for pattern, instead in table.get("rules", [])]
    return _Spellings(rules, dict(table.get("words", [])))
