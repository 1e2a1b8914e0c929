"""Years, decades and spans of years: `1984`, `the 1990s`, `1939-1945`, `1990-talet`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import any_of

_DECADE = re.compile(r"(?<![\w.,])'?((?:1\d|20)?\d0)'?s(?!\w)")
_TAL = re.compile(r"(?<![\w.,])(\d{2,4})-tal")
_SHORT_YEAR = re.compile(r"(?<![\w'])'(?=\d\d(?![\w']))")
_SPAN = re.compile(r"(?<![\w.,:/-])(1[1-9]\d\d|20\d\d)\s?[-\u2012]\s?(1[1-9]\d\d|20\d\d)(?![\w:/%-]|[.,]\d)")
_YEAR_AND_SHORT = re.compile(r"(?<![\w.,:/-])(1[1-9]|20)(\d\d)([-\u2012/])(\d\d)(?![\w:/%-]|[.,]\d)")
_COUNTED = re.compile(r"\s(of|people|men|women|children|feet|[a-z]+s)\b")


def say_years(text: str, language: Language) -> str:
    """Years in pairs or hundreds; four digits before a unit or a plural are a number like any other."""

    def decade(match: re.Match[str]) -> str:
        spoken = numbers.year(match[1], language) if len(match[1]) == 4 else numbers.cardinal(match[1], language)
        return spoken.removesuffix("y") + "ies" if spoken.endswith("y") else f"{spoken}s"

    def tal(match: re.Match[str]) -> str:
        if len(match[1]) == 4 and match[1].endswith("00"):
            return language.hundred.format(numbers.cardinal(match[1][:2], language)) + "tal"
        return f"{numbers.year(match[1], language) if len(match[1]) == 4 else numbers.cardinal(match[1], language)}tal"

    def span(match: re.Match[str]) -> str:
        if int(match[1]) >= int(match[2]):
            return match[0]
        return f"{numbers.year(match[1], language)} {language.words['to']} {numbers.year(match[2], language)}"

    def short_span(match: re.Match[str]) -> str:
        century, first, sign, last = match.groups()
        if int(last) <= int(first) or (sign == "/" and int(last) != int(first) + 1):
            return match[0]
        spoken = numbers.year(century + first, language)
        return f"{spoken} {language.words['to']} {numbers.cardinal(last, language)}"

    text = _SHORT_YEAR.sub("", text)
    text = _DECADE.sub(decade, text) if language.years == "pairs" else _TAL.sub(tal, text)
    text = _YEAR_AND_SHORT.sub(short_span, _SPAN.sub(span, text))
    return _years(language).sub(
        lambda match: match[0] if _is_counted(match, language) else numbers.year(match[1], language), text
    )


@cache
def _years(language: Language) -> re.Pattern[str]:
    """Four digits that may be a year, not those of an amount or a measure."""
    currencies = any_of(written for currency in language.currencies for written in currency.written)
    counted = any_of([*language.units, *language.magnitudes])
    return re.compile(
        rf"(?<![\w.,:/$£€¥₩-])(?<!/\s)(1\d\d\d|20\d\d)(?![\w:/%°]|\s/|[.,]\d|-\d|\s\d|\s?(?:{currencies})|\s(?:{counted})(?![\w.]))"
    )


def _is_counted(match: re.Match[str], language: Language) -> bool:
    """Whether a noun in the plural follows, and nothing before says that this is a year."""
    if language.years != "pairs":
        return match[1] < "1100"
    following = _COUNTED.match(match.string, match.end())
    counted = following is not None and following[1] not in language.uncounted
    if not counted and match[1] >= "1100":
        return False
    before = match.string[max(0, match.start() - 20) : match.start()].lower().split()
    return not (before and before[-1].strip("(\"'") in language.before_years)
