"""Numbers in words, from the tables of a language. Digits come in as text."""

import re
from collections.abc import Mapping
from functools import lru_cache

from voxmatrix.text.normalisation.language import Language

#: Longer numbers are read digit by digit, which is easier to follow.
MAX_DIGITS = 15


def cardinal(digits: str, language: Language, *, common: bool = False) -> str:
    """`42` as `forty-two`; a number that is too long or begins with 0 digit by digit.

    `common`: in the form for nouns of common gender, where the language has one (`tjugoen dollar`).
    """
    if len(digits) > MAX_DIGITS or (len(digits) > 1 and digits.startswith("0")):
        return one_by_one(digits, language)
    words = _cardinal(int(digits), language)
    neuter, of_common_gender = language.one
    return words.removesuffix(neuter) + of_common_gender if common and words.endswith(neuter) else words


def one_by_one(digits: str, language: Language) -> str:
    """`007` as `zero zero seven`."""
    return " ".join(language.below_twenty[int(digit)] for digit in digits)


def in_groups(digits: str, language: Language) -> str:
    """The number of a house or a model: `321` as `three twenty-one`, `1428` as `fourteen twenty-eight`."""
    if language.years != "pairs" or len(digits) < 3 or digits.startswith("0"):
        return cardinal(digits, language)
    if len(digits) > 4:
        return one_by_one(digits, language)
    return cardinal(digits, language) if digits.endswith("00") and digits[1] == "0" else _pairs(digits, language)


def ordinal(digits: str, language: Language) -> str:
    """`21` as `twenty-first`."""
    words = cardinal(digits, language)
    return _with_ending(words, language.ordinals) if len(digits) <= MAX_DIGITS else words


def denominator(digits: str, language: Language, *, many: bool) -> str:
    """`3` as `third` or `thirds`."""
    named = language.denominators.get(digits)
    if named:
        return named[many]
    return _with_ending(ordinal(digits, language), language.parts) + (language.words["many_parts"] if many else "")


def year(digits: str, language: Language) -> str:
    """`1984` as `nineteen eighty-four`, or in Swedish as `nittonhundraåttiofyra`."""
    value = int(digits)
    if language.years == "pairs":
        return cardinal(digits, language) if value % 1000 < 10 else _pairs(digits, language)
    hundreds, rest = divmod(value, 100)
    if 1100 <= value < 2000 or value >= 2010:
        return language.hundred.format(cardinal(str(hundreds), language)) + (
            cardinal(str(rest), language) if rest else ""
        )
    return cardinal(digits, language)


def number(written: str, language: Language, *, common: bool = False) -> str:
    """`1,234.5` as it is spoken, with the separators of the language; its sign is not for here."""
    whole, point, fraction = written.partition(language.decimal)
    spoken = cardinal(re.sub(r"\D", "", whole) or "0", language, common=common)
    if not point:
        return spoken
    as_number = language.decimals == "number" and len(fraction) <= 2 and not fraction.startswith("0")
    spoken_fraction = cardinal(fraction, language) if as_number else one_by_one(fraction, language)
    return f"{spoken} {language.words['point']} {spoken_fraction}"


def pattern(language: Language) -> str:
    """The regular expression of a number without sign, as this language writes it."""
    thousands, decimal = re.escape(language.thousands), re.escape(language.decimal)
    spaced = r"\d{1,3}(?:(?: \d{3}){2,}| 000)(?!\d)" if language.thousands == "," else r"\d{1,3}(?: \d{3})+(?!\d)"
    grouped = rf"\d{{1,3}}(?:{thousands}\d{{3}})+(?!\d)"
    return rf"(?:{grouped}|{spaced}|\d+)(?:{decimal}\d+)?"


def _pairs(digits: str, language: Language) -> str:
    """`1905` as `nineteen oh five`, `1900` as `nineteen hundred`."""
    first, last = digits[:-2], digits[-2:]
    if last == "00":
        return language.hundred.format(cardinal(first, language))
    oh = f"{language.words['oh']} " if last.startswith("0") else ""
    return f"{cardinal(first, language)} {oh}{cardinal(str(int(last)), language)}"


@lru_cache(maxsize=10_000)
def _cardinal(value: int, language: Language) -> str:
    if value < 1000:
        return _below_thousand(value, language)
    groups = []
    above, rest = divmod(value, 1000)
    for one, many in language.scales:
        above, count = divmod(above, 1000)
        if count:
            words = cardinal(str(count), language, common=many.startswith("{} "))
            groups.append(one if count == 1 else many.format(words).replace("ttt", "tt"))
    words = " ".join(reversed(groups))
    if not rest:
        return words
    return words + (language.small_link if rest < 100 else " ") + _below_thousand(rest, language)


def _below_thousand(value: int, language: Language) -> str:
    hundreds, rest = divmod(value, 100)
    words = _below_hundred(rest, language) if rest or not hundreds else ""
    if not hundreds:
        return words
    return language.hundred.format(language.below_twenty[hundreds]) + (language.hundred_link + words if words else "")


def _below_hundred(value: int, language: Language) -> str:
    if value < 20:
        return language.below_twenty[value]
    tens, ones = divmod(value, 10)
    return language.tens[tens - 2] + (language.tens_link + language.below_twenty[ones] if ones else "")


def _with_ending(words: str, endings: Mapping[str, str]) -> str:
    """The words with the longest ending that the table has replaced."""
    ending = max((ending for ending in endings if words.endswith(ending)), key=len)
    return words[: len(words) - len(ending)] + endings[ending]
