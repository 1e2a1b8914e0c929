"""In which language a sentence is written, by its most frequent words."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path

#: So many words of another language than expected, and so many more than of the expected one, are no quotation.
_LEAST, _MORE = 3, 3
#: Of all words, in the other language.
_PART = 0.3
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


def other_language(text: str, language: str) -> str:
    """The language of a text that is not in the `language` (a tag, `en-us`), as a code or the name of its letters.

    "" if it is in that language, or nothing can be said: the language is not in the table, or the text is short.
    """
    base = language.lower().replace("_", "-").partition("-")[0]
    base = "nb" if base == "no" else base
    tables = _function_words()
    if base not in tables:
        return ""
    words = [word.casefold() for word in _WORD.findall(text)]
    if letters := _other_letters(words):
        return letters
    counts = {name: sum(word in known for word in words) for name, known in tables.items()}
    best = max(counts, key=lambda name: counts[name])
    found, own = counts[best], counts[base]
    if len(tables[best].intersection(words)) < _LEAST:
        return ""  # la, la, la
    return best if found >= max(_LEAST, own + _MORE, _PART * len(words)) and found > 2 * own else ""


def _other_letters(words: list[str]) -> str:
    """The script of most letters, where it is not the Latin one that all languages of the table have."""
    scripts = Counter(unicodedata.name(letter, "?").partition(" ")[0] for word in words for letter in word)
    if not scripts:
        return ""
    script, count = scripts.most_common(1)[0]
    return script.capitalize() if script != "LATIN" and count > 2 * scripts["LATIN"] else ""


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(row["function"].split()) for name, row in language_words().items()}


@cache
def language_words() -> Mapping[str, Mapping[str, str]]:
    """The table language_words.toml."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("language_words.toml").read_text(encoding="utf-8"))
