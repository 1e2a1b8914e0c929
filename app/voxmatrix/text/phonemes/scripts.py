"""Words in the script of another language: which voice of espeak-ng reads them.

For some scripts espeak-ng switches to another language by itself. Of others it says the name or the number of each
letter, such as "Chinese letter", or nothing; tests/text/phonemes/test_scripts.py asks it.
"""

import unicodedata
from itertools import groupby
from typing import NamedTuple

#: Below are Latin letters, their modifiers and combining signs.
_FIRST_OTHER = "\u0370"
#: By script: the voice that reads its words, and the languages that need no other.
_READERS = {
    "ARMENIAN": ("hy", "hy hyw"),
    "CJK": ("cmn", "cmn hak ja yue"),
    "CYRILLIC": ("ru", "ba be bg bs cv hr ka kk ky lfn ltg lv mk nog ru sr tt uk uz"),
    "ETHIOPIC": ("am", "am ti"),
    "HEBREW": ("he", "he"),
    "HIRAGANA": ("ja", "ja"),
    "IDEOGRAPHIC": ("cmn", "cmn hak ja yue"),
    "KATAKANA": ("ja", "ja"),
    "KATAKANA-HIRAGANA": ("ja", "ja"),
    "ORIYA": ("or", "or"),
    "TELUGU": ("te", "te"),
    "THAI": ("th", "th"),
}
#: Read in these languages only, if at all. Of a script that stands nowhere here, no letter is read.
_OWN = {"CHEROKEE": "chr", "MYANMAR": "my shn", "SHAVIAN": "en-shaw"}
#: espeak-ng switches to its language by itself; the letters of Arabic, which is written without vowels, are named.
_SWITCHED = (
    *("ARABIC", "BENGALI", "DEVANAGARI", "GEORGIAN", "GREEK", "GUJARATI", "GURMUKHI", "HANGUL"),
    *("KANNADA", "LATIN", "MALAYALAM", "SINHALA", "TAMIL"),
)
#: In these languages Greek letters are named: right for an α, not for a word.
_NAME_GREEK = ("af", "bs", "en", "hr", "lt", "mk", "sr", "vi")
_MIN_GREEK_WORD = 3


class Part(NamedTuple):
    """A part of a sentence. `voice` of espeak-ng: "" is the sentence's own; None: no voice reads it."""

    voice: str | None
    text: str


def parts(sentence: str, voice: str) -> list[Part]:
    """The parts of a sentence by who reads them. Marks and spaces belong to the part before them.

    `voice` is the sentence's own, e.g. `en-us`.
    """
    if max(sentence, default="") < _FIRST_OTHER:
        return [Part("", sentence)]
    found: list[Part] = []
    for script, run in groupby(sentence, _script):
        text = "".join(run)
        last = found.pop() if found else Part("", "")
        reader = _reader(script, text, voice) if script else last.voice
        same = reader == last.voice or not last.text
        found += [Part(reader, last.text + text)] if same else [last, Part(reader, text)]
    return found


def _script(character: str) -> str:
    """Its script by Unicode's name for it. Digits belong to the language of the sentence; "": marks and spaces."""
    if character.isdecimal():
        return "LATIN"
    if not character.isalpha():
        return ""
    if character < _FIRST_OTHER:
        return "LATIN"
    name = unicodedata.name(character, "UNNAMED").removeprefix("HALFWIDTH ").removeprefix("FULLWIDTH ")
    return name.partition(" ")[0]


def _reader(script: str, text: str, voice: str) -> str | None:
    languages = (voice, voice.partition("-")[0])
    if script == "GREEK" and languages[1] in _NAME_GREEK and len(text) >= _MIN_GREEK_WORD:
        return "el"
    if script in _SWITCHED:
        return ""
    reader, own = _READERS.get(script, (None, _OWN.get(script, "")))
    return "" if set(languages) & set(own.split()) else reader
