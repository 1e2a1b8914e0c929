"""Dates: `2024-05-17`, `5/17/2024`, `15.01.2020`, `May 17, 2024`, `jan. 15`, `17 maj`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import any_of, sentence_ends

_YEAR_FIRST = re.compile(r"(?<![\w./-])((?:1\d|20)\d\d)([-/.])(\d{1,2})\2(\d{1,2})(?![\w/-]|[.,]\d)")
_NUMERIC = re.compile(
    r"(?<![\w./-])(\d{1,2})(?:([/.-])(\d{1,2})\2((?:1\d|20)\d\d)|(/)(\d{1,2})/(\d\d))(?![\w/-]|[.,]\d)"
)
_MONTH_AND_YEAR = re.compile(r"(?<![\w.,/-])(0?[1-9]|1[0-2])/((?:19|20)\d\d)(?![\w/-]|[.,]\d)")
_WITH_TIME = re.compile(r"(?<=\d-\d\d)T(?=\d\d:\d\d)")
_SLASHED = re.compile(
    r"(?<![\w./])(den\s)?(\d{1,2})/(\d{1,2})(?:[\s-]((?:1\d|20)\d\d))?(?![\w/]|[.,]\d)", re.IGNORECASE
)


def say_dates(text: str, language: Language) -> str:
    """Days as ordinals, months by their names."""

    def year_first(match: re.Match[str]) -> str:
        return _date(match[4], match[3], match[1], language) or match[0]

    def numeric(match: re.Match[str]) -> str:
        first, second = match[1], match[3] or match[6]
        year, slash = match[4] or match[7], "/" in match[0]
        month_first = language.month_first and int(first) <= 12
        day, month = (second, first) if month_first else (first, second)
        return _date(day, month, year, language, day_first=not (slash or month_first)) or match[0]

    def slashed(match: re.Match[str]) -> str:
        the, day, month, year = match.groups(default="")
        is_date = the or year or int(day) >= int(month)  # 17/5, but 1/2 is a half
        spoken = _date(day, month, year or "2000", language) if is_date else None
        if spoken is None or language.years == "pairs":
            return match[0]
        return the + (spoken if year else spoken.rsplit(" ", 1)[0])

    text = _MONTH_AND_YEAR.sub(lambda match: f"{language.months[int(match[1]) - 1]} {match[2]}", text)
    text = _WITH_TIME.sub(" ", text)
    text = _SLASHED.sub(slashed, _NUMERIC.sub(numeric, _YEAR_FIRST.sub(year_first, text)))
    for pattern in _with_month(language):
        text = pattern.sub(lambda match: _named_date(match, language), text)
    return text


@cache
def _with_month(language: Language) -> tuple[re.Pattern[str], ...]:
    """Day and month in both orders, and a short month before a year."""
    full, short = any_of(language.months), any_of(" ".join(language.short_months).split())
    month = rf"(?P<month>(?i:(?:{full})(?!\w)|(?:{short})(?!\w)\.?))"
    endings = any_of(language.ordinal_endings)
    dot = r"\.?" if language.years != "pairs" else ""
    last = rf"(?:\s?[-\u2012]\s?(?P<last>[1-9]|[12]\d|3[01])(?:{endings})?)?"
    day = rf"(?P<day>0?[1-9]|[12]\d|3[01])(?:(?i:{endings}))?{last}(?![\w/%]|[.,:]\d|-\d)"
    year = r"(?P<year>,?[\s-](?:1\d|20)\d\d(?![\w:/%-]|[.,]\d)|,(?:1\d|20)\d\d(?!\w))?"
    day_first = re.compile(rf"(?<![\w.,:/-])(?:the\s)?{day}{dot}(?:\sof)?[\s-]{month}{year}")
    month_first = re.compile(rf"(?<!\w){month}[\s-]?(?:the\s)?(?<=[\s.-]){day}{year}")
    only_year = re.compile(
        rf"(?<!\w)(?P<month>(?i:{short})(?!\w)\.?)(?P<day>)(?P<last>)(?P<year>,?\s(?:1\d|20)\d\d(?!\w))"
    )
    return (day_first, month_first, only_year) if language.years == "pairs" else (day_first, only_year)


def _named_date(match: re.Match[str], language: Language) -> str:
    written = match["month"].rstrip(".").lower()
    month = next(
        full
        for full, short in zip(language.months, language.short_months, strict=True)
        if written in (full.lower(), *short.lower().split())
    )
    if written == match["month"] and _is_a_word(match, written):
        return match[0]
    year = match["year"] or ""
    spoken_year = f"{year[:-4].rstrip(' -')} {numbers.year(year[-4:], language)}" if year else ""
    if match[0].endswith("."):
        spoken_year = "." if sentence_ends(match) else ""
    if not match["day"]:
        return month + spoken_year
    day = numbers.ordinal(str(int(match["day"])), language)
    if match["last"]:
        day = f"{day} {language.words['to']} {numbers.ordinal(match['last'], language)}"
    if language.years == "pairs" and match.start("month") < match.start("day"):
        return f"{month} {day}{spoken_year}"
    return language.bare_day.format(day=day, month=month) + spoken_year


def _is_a_word(match: re.Match[str], written: str) -> bool:
    """Whether `may`, `march` or `mar` in small letters before a plain number may be no month: `you may 5 times`."""
    return written in ("may", "march", "mar") and match.end("day") - match.start("day") == match.end() - match.start(
        "day"
    )


def _date(day: str, month: str, year: str, language: Language, *, day_first: bool = False) -> str | None:
    if not (1 <= int(day) <= 31 and 1 <= int(month) <= 12):
        return None
    spoken_year = numbers.year(year, language) if len(year) == 4 else _short_year(year, language)
    form = language.day_first_date if day_first else language.date
    return form.format(
        day=numbers.ordinal(str(int(day)), language), month=language.months[int(month) - 1], year=spoken_year
    )


def _short_year(year: str, language: Language) -> str:
    oh = f"{language.words['oh']} " if year.startswith("0") else ""
    return oh + numbers.cardinal(str(int(year)), language)
