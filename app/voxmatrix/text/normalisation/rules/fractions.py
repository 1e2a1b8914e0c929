"""Fractions: `1/2`, `2 1/2 cups`, `22/3`, `23 4/5`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import any_of


def say_fractions(text: str, language: Language) -> str:
    """The lower number as an ordinal; a unit that follows in full."""

    def fraction(match: re.Match[str]) -> str:
        whole, upper, _, lower, unit = match.groups()
        spoken = _part(upper, lower, language, whole=bool(whole))
        if whole:
            spoken = f"{numbers.cardinal(whole, language)} {spoken}"
        return f"{spoken} {language.units[unit][bool(whole)]}" if unit else spoken

    return _pattern(language).sub(fraction, text)


def _part(upper: str, lower: str, language: Language, *, whole: bool) -> str:
    and_ = f"{language.words['and']} " if whole else ""
    if (upper, lower) == ("1", "2"):
        return language.words["and_a_half" if whole else "half"]
    part = numbers.denominator(lower, language, many=upper != "1")
    return f"{and_}{numbers.cardinal(upper, language, common=True)} {part}"


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    endings, units = any_of([*language.ordinal_endings, "s"]), any_of(language.units)
    return re.compile(
        rf"(?<![\w.,:/-])(?:(\d{{1,6}})\s)?(\d{{1,9}})(\s?)/\3(\d{{1,9}})(?:(?i:{endings}))?(?![\w/-]|[.,]\d)"
        rf"(?:\s?({units})(?![\w/'²³]))?"
    )
