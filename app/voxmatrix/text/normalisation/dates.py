"""Dates, clock times and years as they are said."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.abbreviations import CAPITAL, TEXT_ENDS, any_of
from voxmatrix.text.normalisation.language import Language

_ISO = re.compile(r"(?<![\w-])((?:1\d|20)\d\d)-(\d{2})-(\d{2})(?![\w-])")
_NUMERIC = re.compile(r"(?<![\w./])(\d{1,2})([/.])(\d{1,2})\2((?:1\d|20)\d\d)(?!\w|[./]\d)")
_SLASHED = re.compile(
    r"(?<![\w./])(den\s)?(\d{1,2})/(\d{1,2})(?:[\s-]((?:1\d|20)\d\d))?(?![\w/]|[.,]\d)", re.IGNORECASE
)
_CLOCK = re.compile(
    r"(?<![\w:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:]|\.\d)(?:\s?([ap])\.?m(\.?)(?!\w))?", re.IGNORECASE
)
_CLOCK_WITH_DOT = re.compile(r"(?<=klockan )([01]?\d|2[0-4])\.([0-5]\d)(?!\d|[.:]\d)()()()")
_HOUR = re.compile(r"(?<![\w:.,])(1[0-2]|0?[1-9])\s?([ap])\.?m(\.?)(?!\w)", re.IGNORECASE)
_DECADE = re.compile(r"(?<![\w.,])'?((?:1\d|20)?\d0)'?s(?!\w)")
_TAL = re.compile(r"(?<![\w.,])(\d{2,4})-tal")
_YEARS = re.compile(r"(?<![\w.,:/-])(1[1-9]\d\d|20\d\d)(?![\w:/%°]|[.,]\d|-\d|\s?[$£€]|\s\d)")
_COUNTED = re.compile(r"\s(?:of|[a-z]+s)\b")
_YEAR_AND_SHORT = re.compile(r"(?<![\w.,:/-])(1[1-9]|20)(\d\d)[-\u2012](\d\d)(?![\w:/%-]|[.,]\d)")


def say_dates(text: str, language: Language) -> str:
    """`2024-05-17`, `5/17/2024`, `May 17, 2024`, `17 maj`."""

    def iso(match: re.Match[str]) -> str:
        return _date(match[3], int(match[2]), match[1], language) or match[0]

    def numeric(match: re.Match[str]) -> str:
        day, month = (match[3], match[1]) if language.month_first and int(match[1]) <= 12 else (match[1], match[3])
        return _date(day, int(month), match[4], language) or match[0]

    def slashed(match: re.Match[str]) -> str:
        the, day, month, year = match.groups(default="")
        said = _date(day, int(month), year or "2000", language) if the or year else None
        if said is None or language.years == "pairs":
            return match[0]
        return the + (said if year else said.rsplit(" ", 1)[0])

    text = _SLASHED.sub(slashed, _NUMERIC.sub(numeric, _ISO.sub(iso, text)))
    for pattern in _with_month(language):
        text = pattern.sub(lambda match: _named_date(match, language), text)
    return text


def say_times(text: str, language: Language) -> str:
    """`5:05` as `five oh five`, `17:30`, `8 p.m.`, `kl. 17.30`."""

    def hour(match: re.Match[str]) -> str:
        return numbers.cardinal(str(int(match[1])), language) + _half(match[2], match[3], match)

    text = _HOUR.sub(hour, text)
    for pattern in (_CLOCK, _CLOCK_WITH_DOT):
        text = pattern.sub(lambda match: _time(match, language), text)
    return text


def say_years(text: str, language: Language) -> str:
    """`1984`, `1990s`, `1990-talet`; four digits before a word in the plural are a number like any other."""

    def decade(match: re.Match[str]) -> str:
        said = numbers.year(match[1], language) if len(match[1]) == 4 else numbers.cardinal(match[1], language)
        return said.removesuffix("y") + "ies" if said.endswith("y") else f"{said}s"

    def tal(match: re.Match[str]) -> str:
        said = numbers.year(match[1], language) if len(match[1]) == 4 else numbers.cardinal(match[1], language)
        return f"{said}tal"

    def counts(match: re.Match[str]) -> bool:
        return language.years == "pairs" and _COUNTED.match(match.string, match.end()) is not None

    def span(match: re.Match[str]) -> str:
        if int(match[3]) <= int(match[2]):
            return match[0]
        said = numbers.year(match[1] + match[2], language)
        return f"{said} {language.words['to']} {numbers.cardinal(match[3], language)}"

    text = _DECADE.sub(decade, text) if language.years == "pairs" else _TAL.sub(tal, text)
    text = _YEAR_AND_SHORT.sub(span, text)
    return _YEARS.sub(lambda match: match[0] if counts(match) else numbers.year(match[1], language), text)


@cache
def _with_month(language: Language) -> tuple[re.Pattern[str], ...]:
    """Day and month in both orders; groups: day, month, the year with what stands before it."""
    full, short = any_of(language.months), any_of(month for month in language.short_months if month)
    month = rf"(?P<month>(?:{full})(?!\w)|(?:{short})(?!\w)\.?)"
    endings = any_of(language.ordinal_endings)
    day = rf"(?P<day>0?[1-9]|[12]\d|3[01])(?:{endings})?(?![\w/%]|[.,:-]\d)"
    year = r"(?P<year>,?\s(?:1[1-9]|20)\d\d(?![\w:/%-]|[.,]\d))?"
    day_first = re.compile(rf"(?<![\w.,:/-])(?:the\s)?{day}(?:\sof)?\s{month}{year}")
    month_first = re.compile(rf"(?<!\w){month}\s{day}{year}")
    return (day_first, month_first) if language.years == "pairs" else (day_first,)


def _named_date(match: re.Match[str], language: Language) -> str:
    written = match["month"].rstrip(".")
    month = next(
        full for full, short in zip(language.months, language.short_months, strict=True) if written in (full, short)
    )
    day = numbers.ordinal(str(int(match["day"])), language)
    year = match["year"] or ""
    said_year = f"{year[:-4].rstrip()} {numbers.year(year[-4:], language)}" if year else ""
    if match[0].endswith("."):
        said_year = "." if _sentence_ends(match) else ""
    if language.years == "pairs" and match.start("month") < match.start("day"):
        return f"{month} {day}{said_year}"
    return language.bare_day.format(day=day, month=month) + said_year


def _date(day: str, month: int, year: str, language: Language) -> str | None:
    if not (1 <= int(day) <= 31 and 1 <= month <= 12):
        return None
    said_day, said_year = numbers.ordinal(str(int(day)), language), numbers.year(year, language)
    return language.date.format(day=said_day, month=language.months[month - 1], year=said_year)


def _time(match: re.Match[str], language: Language) -> str:
    hour, minute = int(match[1]), int(match[2])
    half = _half(match[4], match[5], match) if match[4] else ""
    said = numbers.cardinal(str(hour), language)
    if minute == 0 and not match[3]:
        whole = language.words["oclock" if hour <= 12 else "hundred_hours"].format(hour=said)
        return f"{said}{half}" if half else whole
    oh = f"{language.words['oh']} " if minute < 10 else ""
    said = f"{said} {oh}{numbers.cardinal(str(minute), language)}"
    return f"{said} {numbers.cardinal(str(int(match[3])), language)}{half}" if match[3] else f"{said}{half}"


def _half(letter: str, dot: str, match: re.Match[str]) -> str:
    """` a.m`, with a last dot only where a sentence ends."""
    return f" {letter.lower()}.m{'.' if dot and _sentence_ends(match) else ''}"


def _sentence_ends(match: re.Match[str]) -> bool:
    position = match.end()
    return bool(TEXT_ENDS.match(match.string, position) or _CAPITAL_FOLLOWS.match(match.string, position))


_CAPITAL_FOLLOWS = re.compile(rf"\s+{CAPITAL}")
