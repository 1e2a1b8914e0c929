"""Digits set high: an exponent, a part of a fraction, or the mark of a note."""

import re
import unicodedata

from voxmatrix.text.lazy_pattern import lazy_pattern

_HIGH = "[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]"
_NEGATIVE = f"\u207b{_HIGH}+"
_POWER = lazy_pattern(
    rf"(?<=[\d)])(?!\u00b9(?!{_HIGH}))(?:{_HIGH}+|{_NEGATIVE})"  # a \u00b9 alone is the mark of a note
    rf"|(?<=\b[a-z]){_HIGH}+"
    rf"|(?<=[^\W\d_])(?:[\u00b2\u00b3]|{_NEGATIVE})"  # of a unit
)
_TYPED_POWER = lazy_pattern(r"(?:(?<=[\d)])|(?<=\b[^\W\d_]))\^(?:-?\d+|\(-?\d+\))")
_FRACTION = lazy_pattern(rf"(?<=\d)?({_HIGH}+)[\u2044/]([\u2080-\u2089]+)")
_NOTE = lazy_pattern(r"(?<=[^\W\d_])[\u00b9\u2070\u2074-\u2079]+")

#: How espeak-ng is told to say a power, and minus, in languages without rules of ours.
_POWERS = {
    "ca": ("elevat a {}", "menys"),
    "cmn": ("的{}次方", "负"),
    "cs": ("na {}", "minus"),
    "da": ("opløftet i {}", "minus"),
    "fi": ("potenssiin {}", "miinus"),
    "id": ("pangkat {}", "minus"),
    "ja": ("の{}乗", "マイナス"),
    "ko": ("의 {}승", "마이너스"),
    "nb": ("opphøyd i {}", "minus"),
    "ro": ("la puterea {}", "minus"),
    "ru": ("в степени {}", "минус"),
    "sk": ("na {}", "mínus"),
    "tr": ("üzeri {}", "eksi"),
    "uk": ("у степені {}", "мінус"),
    "vi": ("mũ {}", "âm"),
}


def without_notes(text: str) -> str:
    """The text without the marks of notes behind words."""
    return _NOTE.sub("", text)


def write_powers(text: str) -> str:
    """Powers as they are typed, `10^-6`, which rules read; they read squares and cubes as well."""
    return _POWER.sub(
        lambda match: match[0] if match[0] in "\u00b2\u00b3" else "^" + _number(match[0]), _fractions(text)
    )


def say_powers(text: str, language: str) -> str:
    """Powers in words, for espeak-ng, which reads `10\u2076` as 10 6 and of `10\u207b\u2076` nothing but the 10."""
    base = language.lower().replace("_", "-").partition("-")[0]
    words = _POWERS.get(base)

    def say(match: re.Match[str]) -> str:
        number = _number(match[0])
        if words is None:
            return f" \u2212{number[1:]}" if number[0] == "-" else match[0]
        return f" {words[0].format(number.replace('-', words[1] + ' '))}"

    text = _POWER.sub(say, _fractions(text))
    return _TYPED_POWER.sub(say, text) if words else text


def _fractions(text: str) -> str:
    """`2\u00b3\u2044\u2084` as `2 3/4`."""
    return _FRACTION.sub(lambda match: f" {_number(match[1])}/{_number(match[2])}", text)


def _number(high: str) -> str:
    return unicodedata.normalize("NFKC", high).replace("\u2212", "-").strip("^()")
