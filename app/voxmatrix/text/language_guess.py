"""In which language a text is written, by its most frequent words, and by letters that few languages have."""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

#: So many words of another language than expected, and so many more than of the expected one, are no quotation.
_LEAST, _MORE = 3, 3
#: Of all words, in the other language.
_PART = 0.3
#: Words count as one divided by the languages that have them. A text needs so much, so many times what the next
#: language has, and this part of its words: a language without a table has a word of another by chance.
_EVIDENCE, _TIMES, _KNOWN = 0.9, 1.7, 0.2
#: Of a long text, so many characters tell.
_READ = 2000
#: Letters of one language, by the first word of their Unicode names. Others, as Cyrillic, are those of several.
_SCRIPTS = {
    "ARMENIAN": "hy", "BENGALI": "bn", "DEVANAGARI": "hi", "GEORGIAN": "ka", "GREEK": "el", "HANGUL": "ko",
    "HEBREW": "he", "HIRAGANA": "ja", "KATAKANA": "ja", "TAMIL": "ta", "TELUGU": "te", "THAI": "th",
}  # fmt: skip
_LATIN = "LATIN"
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


def likely_language(text: str) -> str:
    """The language of a text, which may be as short as a greeting, as a code; "" if it could be several."""
    text = unicodedata.normalize("NFC", text[:_READ]).casefold()
    words = set(_WORD.findall(text))
    scripts = _scripts(words)
    if (script := max(scripts, key=lambda name: scripts[name], default="")) != _LATIN:
        return _language_of(scripts, script)
    clues = _clues()
    scores: defaultdict[str, float] = defaultdict(float)
    for clue in words | set(text):
        for language in clues.get(clue, ()):
            scores[language] += 1 / len(clues[clue])
    (most, best), (second, _) = sorted([(0.0, ""), (0.0, ""), *((score, name) for name, score in scores.items())])[
        :-3:-1
    ]
    known = sum(best in clues.get(word, ()) for word in words)
    return best if most >= _EVIDENCE and most >= _TIMES * second and known >= _KNOWN * len(words) else ""


def _language_of(scripts: Counter[str], script: str) -> str:
    """The language of other letters. Japanese mixes three kinds, of which Chinese has one."""
    if script == "CJK":
        return "ja" if scripts["HIRAGANA"] + scripts["KATAKANA"] else "zh"
    return _SCRIPTS.get(script, "")


def _scripts(words: Iterable[str]) -> Counter[str]:
    return Counter(unicodedata.name(letter, "?").partition(" ")[0] for word in words for letter in word)


@cache
def _clues() -> Mapping[str, tuple[str, ...]]:
    """The languages that have a word, or a letter that few have. A word of one letter is in too many."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for language, row in language_words().items():
        words = {word for word in f"{row['function']} {row['everyday']}".split() if len(word) > 1}
        for clue in words | set(row["letters"]):
            found[clue].append(language)
    return {clue: tuple(languages) for clue, languages in found.items()}


def _other_letters(words: list[str]) -> str:
    """The script of most letters, where it is not the Latin one that all languages of the table have."""
    scripts = _scripts(words)
    if not scripts:
        return ""
    script, count = scripts.most_common(1)[0]
    return script.capitalize() if script != _LATIN and count > 2 * scripts[_LATIN] else ""


@cache
def _function_words() -> Mapping[str, frozenset[str]]:
    return {name: frozenset(row["function"].split()) for name, row in language_words().items()}


@cache
def language_words() -> Mapping[str, Mapping[str, str]]:
    """The table language_words.toml."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("language_words.toml").read_text(encoding="utf-8"))
