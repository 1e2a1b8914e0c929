"""Kokoro's alphabet, that of misaki, made of the phonemes of espeak-ng.

The tables are those of misaki 0.9 (github.com/hexgrad/misaki, misaki/espeak.py): English as its fallback for words that
are in no dictionary, other languages as its front end for them.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

#: Between the letters of a phoneme that has several: `a^ɪ` is one, `aɪ` are two.
TIE = "^"
_OTHERS = {
    "a^ɪ": "I", "a^ʊ": "W", "e^ɪ": "A", "o^ʊ": "O", "ə^ʊ": "Q", "ɔ^ɪ": "Y",
    "d^z": "ʣ", "d^ʒ": "ʤ", "s^s": "S", "t^s": "ʦ", "t^ʃ": "ʧ",
    TIE: "", "-": "",
}  # fmt: skip
_ENGLISH = {
    "a^ɪ": "I", "a^ʊ": "W", "e^ɪ": "A", "ɔ^ɪ": "Y", "d^ʒ": "ʤ", "t^ʃ": "ʧ",
    "ʔˌn\u0329": "tn", "ʔn\u0329": "tn", "ʔn": "tn", "ʔ": "t", "ə^l": "ᵊl", "ɚ": "əɹ", "r": "ɹ",
    "e": "A", "ʲo": "jɔ", "ʲə": "jə", "ʲ": "", "x": "k", "ç": "k", "ɐ": "ə", "ɬ": "l", "\u0303": "",
    "o": "ɔ", TIE: "",
}  # fmt: skip
_AMERICAN = _ENGLISH | {"o^ʊ": "O", "ɜːɹ": "ɜɹ", "ɜː": "ɜɹ", "ɪə": "iə", "ː": ""}
_BRITISH = _ENGLISH | {"e^ə": "ɛː", "iə": "ɪə", "ə^ʊ": "Q"}
_SYLLABIC = re.compile("(\\S)\u0329")


def to_misaki(phonemes: str, language: str) -> str:
    """The phonemes of espeak-ng, with ties and decomposed (NFD), as Kokoro reads them."""
    phonemes = phonemes.replace("c\u0327", "ç")
    if not language.startswith("en"):
        return _replaced(phonemes, _OTHERS)
    return _SYLLABIC.sub(r"ᵊ\1", _replaced(phonemes, _AMERICAN if language == "en-us" else _BRITISH))


def to_ids(phonemes: Sequence[str]) -> tuple[list[int], set[str]]:
    """The ids of phonemes, and those that Kokoro has none for, which are left out."""
    ids = symbols()
    return [ids[one] for one in phonemes if one in ids], {one for one in phonemes if one not in ids}


@cache
def symbols() -> dict[str, int]:
    """The ids of all symbols."""
    table: dict[str, int] = tomllib.loads(Path(__file__).with_name("symbols.toml").read_text(encoding="utf-8"))["ids"]
    return table


def _replaced(text: str, table: dict[str, str]) -> str:
    """The text with all keys of a table replaced, the longest first."""
    return _any_of(tuple(table)).sub(lambda match: table[match[0]], text)


@cache
def _any_of(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(keys, key=len, reverse=True))))
