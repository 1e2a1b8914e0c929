"""English words of two readings (`I read it`, `a live concert`), respelled as the words around them ask for.

A respelling is right in every accent of espeak-ng, for Piper's voices and Kokoro's; phonemes would be of one accent and
one alphabet. The table is heteronyms.toml. Each word has its respellings there, and each of these the contexts that ask
for it. The first that fits counts; a word with none stays as it is written. A context is a row of words around `_`, the
word itself:

| written | means |
| --- | --- |
| `to|will _ the` | words, each as a regular expression; marks are words |
| `<object>` | a class of words, from `[classes]` |
| `<adverb>?`, `(?:on|in)?` | it may be missing |
| `^`, `$` | the start and the end of the text |
| `@verb` | all contexts of a part of speech, from `[parts]` |
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation.patterns import any_of

_LANGUAGE = lazy_pattern(r"en(?:[-_]|$)", re.IGNORECASE)
_LETTERS = lazy_pattern("[a-z]+")
_TOKEN = lazy_pattern(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
#: Without spaces, but for those in brackets.
_PART = lazy_pattern(r"(?:[^\s()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))+")
_CLASS = lazy_pattern(r"<(\w+)>")
#: With a capital that a name has not: `I'm`, `THE`.
_NO_NAME = lazy_pattern(r"I['’]|[A-Z]+$")
#: What is looked at on each side: characters, and words of these.
_CHARACTERS, _WORDS = 90, 6


class _Reading(NamedTuple):
    said: str
    contexts: tuple[re.Pattern[str], ...]


def say_heteronyms(text: str, language: str) -> str:
    """A sentence in words with its words of two readings respelled. Other languages than English stay as they are.

    `language` is a voice of espeak-ng or a language tag.
    """
    if not _LANGUAGE.match(language):
        return text
    found = _words().intersection(_LETTERS.findall(text.lower()))  # a fifth of what a search for all of them takes
    return _any_of(found).sub(_respelled, text) if found else text


def _respelled(match: re.Match[str]) -> str:
    written = match[0]
    context = _context(match)
    for reading in _readings(written) or _readings(written.lower()):
        if any(one.search(context) for one in reading.contexts):
            return _in_case_of(written, reading.said)
    return written


def _context(match: re.Match[str]) -> str:
    """The words around a match, with a space around each; only names have a capital."""
    start, end = match.span()
    before = _TOKEN.findall(match.string, max(0, start - _CHARACTERS), start)
    after = _TOKEN.findall(match.string, end, end + _CHARACTERS)
    if start <= _CHARACTERS:
        before = ["^", *(word.lower() for word in before[:1]), *before[1:]]
    ends = ["$"] if end + _CHARACTERS >= len(match.string) else []
    around = (*before[-_WORDS:], "_", *[*after, *ends][:_WORDS])
    return f" {' '.join(word.lower() if _NO_NAME.match(word) else word for word in around)} "


def _in_case_of(written: str, said: str) -> str:
    if said == written.lower():
        return written
    return said.upper() if written.isupper() else said.capitalize() if written[0].isupper() else said


@cache
def _table() -> Mapping[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("heteronyms.toml").read_text(encoding="utf-8"))


@cache
def _words() -> frozenset[str]:
    return frozenset(map(str.lower, _table()["words"]))


@lru_cache(maxsize=512)
def _any_of(words: frozenset[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w'’-])(?i:{any_of(words)})(?![\w'’-])")


@cache
def _readings(word: str) -> Sequence[_Reading]:
    """Only those of words that occur are compiled."""
    return tuple(_Reading(said, _compiled(contexts)) for said, contexts in _table()["words"].get(word, {}).items())


def _compiled(contexts: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    own = [context for context in contexts if not context.startswith("@")]
    shared = [_part(context[1:]) for context in contexts if context.startswith("@")]
    return (*shared, _any_context(own)) if own else tuple(shared)


@cache
def _part(name: str) -> re.Pattern[str]:
    return _any_context(_table()["parts"][name])


def _any_context(contexts: Iterable[str]) -> re.Pattern[str]:
    return lazy_pattern("|".join(" " + "".join(map(_expression, _PART.findall(context))) for context in contexts))


def _expression(part: str) -> str:
    """The expression for one word of a context and the space behind it."""
    if part in ("^", "$", "_"):
        return re.escape(part) + " "
    is_optional = part.endswith((">?", ")?"))
    words = _CLASS.sub(lambda name: f"(?:{_table()['classes'][name[1]]})", part[:-1] if is_optional else part)
    return f"(?:(?:{words}) ){'?' if is_optional else ''}"
