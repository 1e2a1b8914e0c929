"""What is written in the text of a recording and not spoken: markup, stage directions, another language."""

import re
from collections.abc import Iterator
from functools import cache

from voxmatrix.dataset.problems import problem_of
from voxmatrix.dataset.processing import ProcessedRecording
from voxmatrix.text.language_guess import language_words, other_language
from voxmatrix.transcripts.lines import Problem
from voxmatrix.wording import quoted

#: Brackets of a transcript; two of them are phonemes for Piper, and some are marks of `say_as`.
_BRACKETS = re.compile(r"(?<!\[)\[(?!\[|say-as:)[^\[\]]*\](?!\])|\{[^{}]*\}|♪[^♪]*♪?")
#: How often something is to be said or sung.
_TIMES = re.compile(r"\(\s*(?:[x×]\s*\d+|\d+\s*[x×])\s*\)", re.IGNORECASE)
#: Short words in parentheses or asterisks may be a direction; only the words tell.
_ASIDE = re.compile(r"\(([^()]{1,40})\)|\*([^*]{1,40})\*")
#: The pronunciation of a word is markup that is meant.
_PRONUNCIATION = re.compile(r"\]\(/")
#: What may stand before the words of a direction: (she laughs), (laughs softly).
_BEFORE = 1


def text_problems(item: ProcessedRecording, language: str) -> Iterator[Problem]:
    """What is wrong with the words of a text that can be pronounced."""
    from voxmatrix.text.markup import without_markup

    text = item.recording.text
    plain = without_markup(text)
    if plain != text and not _PRONUNCIATION.search(text):
        what = f"its text has markup: {quoted(text)}; {quoted(plain)} is learned"
        yield problem_of(item, "markup", what, "write only what is spoken", "warning")
    if unspoken := directions(plain, language):
        what = f"its text has what nobody speaks: {', '.join(unspoken)}"
        yield problem_of(item, "not-spoken", what, "remove it from the text, or write it as it is spoken", "warning")
    if other := other_language(plain, language):
        what = f"its text is not in the language {language}, but {other}: {quoted(text)}"
        yield problem_of(item, "other-language", what, "correct the text, or set `language` to that of all recordings")


def directions(text: str, language: str) -> list[str]:
    """The parts of a text without markup that are directions: `[laughs]`, `(x2)`, `(sighs)`."""
    beginnings = _beginnings(language.lower().partition("-")[0])
    found = [match[0] for pattern in (_BRACKETS, _TIMES) for match in pattern.finditer(text)]
    for aside in _ASIDE.finditer(text):
        words = (aside[1] or aside[2]).casefold().split()
        if any(word.startswith(beginnings) for word in words[: _BEFORE + 1]) and len(words) <= _BEFORE + 2:
            found.append(aside[0])
    return found


@cache
def _beginnings(base: str) -> tuple[str, ...]:
    """How words of directions begin in the language, and in English, which transcribers use too."""
    tables = language_words()
    return tuple(word for name in {base, "en"} & tables.keys() for word in tables[name]["directions"].split())
