"""Dates, years and times: `2024-05-17`, `May 17, 2024`, `the 1990s`, `1939-1945`, `17:30`, `8 p.m.`, `1:01:01`."""

import re
from collections.abc import Mapping
from functools import cache

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import any_of, sentence_ends

_YEAR_FIRST = lazy_pattern(r"(?<![\w./-])((?:1\d|20)\d\d)([-/.])(\d{1,2})\2(\d{1,2})(?![\w/-]|[.,]\d)")
_NUMERIC = lazy_pattern(
    r"(?<![\w./-])(\d{1,2})(?:([/.-])(\d{1,2})\2((?:1\d|20)\d\d)|(/)(\d{1,2})/(\d\d))(?![\w/-]|[.,]\d)"
)
_MONTH_AND_YEAR = lazy_pattern(r"(?<![\w.,/-])(0?[1-9]|1[0-2])/((?:19|20)\d\d)(?![\w/-]|[.,]\d)")
_WITH_TIME = lazy_pattern(r"(?<=\d-\d\d)T(?=\d\d:\d\d)")
_SLASHED = lazy_pattern(
    r"(?<![\w./])(den\s)?(\d{1,2})/(\d{1,2})(?:[\s-]((?:1\d|20)\d\d))?(?![\w/]|[.,]\d)", re.IGNORECASE
)


def mark_day_spans(text: str, language: Language) -> str:
    """`Mon–Fri` and `Jan-Mar` in full with a word between, before dashes are repaired."""
    pattern, names = _day_spans(language)

    def span(match: re.Match[str]) -> str:
        end = "." if match[0].endswith(".") and sentence_ends(match) else ""
        return f"{names[match[1]]} {language.words['to']} {names[match[2]]}{end}"

    return pattern.sub(span, text)


@cache
def _day_spans(language: Language) -> tuple[re.Pattern[str], Mapping[str, str]]:
    names = dict(language.days)
    for full, short in zip(language.months, language.short_months, strict=True):
        names |= dict.fromkeys(short.split(), full)
    names |= {key.capitalize(): full.capitalize() for key, full in names.items()}
    names |= {full: full for full in (*names.values(), *language.months)}
    name = any_of(names)
    return re.compile(rf"(?<!\w)({name})\.?\s?[-\u2010-\u2015]\s?({name})(?![\w-])\.?"), names


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
        if spoken is None or not language.slashed_dates:
            return match[0]
        return the + (spoken if year else spoken.rsplit(" ", 1)[0])

    text = _MONTH_AND_YEAR.sub(lambda match: f"{language.months[int(match[1]) - 1]} {match[2]}", text)
    if language.dates_in_readings:
        return text
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
    dot = r"\.?" if language.ordinal_dot else ""
    last = rf"(?:\s?[-\u2012]\s?(?P<last>[1-9]|[12]\d|3[01])(?:{endings})?)?"
    day = rf"(?P<day>0?[1-9]|[12]\d|3[01])(?:(?i:{endings}))?{last}(?![\w/%]|[.,:]\d|-\d(?!\d{{3}}(?!\d)))"
    year = r"(?P<year>,?[\s-](?:1\d|20)\d\d(?![\w:/%-]|[.,]\d)|,(?:1\d|20)\d\d(?!\w))?"
    day_first = re.compile(rf"(?<![\w.,:/-])(?:the\s)?{day}{dot}(?:\sof)?[\s-]{month}{year}")
    month_first = re.compile(rf"(?<!\w){month}[\s-]?(?:the\s)?(?<=[\s.-]){day}{year}")
    only_year = re.compile(
        rf"(?<!\w)(?P<month>(?i:{short})(?!\w)\.?)(?P<day>)(?P<last>)(?P<year>,?\s(?:1\d|20)\d\d(?!\w))"
    )
    return (day_first, month_first, only_year) if language.month_before_day else (day_first, only_year)


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
    day = numbers.ordinal(str(int(match["day"])), language, "day")
    if match["last"]:
        day = f"{day} {language.words['to']} {numbers.ordinal(match['last'], language, 'day')}"
    if language.month_before_day and match.start("month") < match.start("day"):
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
        day=numbers.ordinal(str(int(day)), language, "day"),
        month=language.months[int(month) - 1],
        year=spoken_year,
    )


def _short_year(year: str, language: Language) -> str:
    oh = f"{language.words['oh']} " if year.startswith("0") else ""
    return oh + numbers.cardinal(str(int(year)), language)


_SHORT_YEAR = lazy_pattern(r"(?<![\w'])'(?=\d\d(?![\w']))")
_YEAR_SPAN = lazy_pattern(r"(?<![\w.,:/-])(1[1-9]\d\d|20\d\d)\s?[-\u2012]\s?(1[1-9]\d\d|20\d\d)(?![\w:/%-]|[.,]\d)")
_YEAR_AND_SHORT = lazy_pattern(r"(?<![\w.,:/-])(1[1-9]|20)(\d\d)([-\u2012/])(\d\d)(?![\w:/%-]|[.,]\d)")


def say_years(text: str, language: Language) -> str:
    """Years in pairs or hundreds; four digits before a unit or a plural are a number like any other."""

    def decade(match: re.Match[str]) -> str:
        return numbers.ordinal(match[1], language, "decade")

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
    text = _decades(language).sub(decade, text)
    text = _YEAR_AND_SHORT.sub(short_span, _YEAR_SPAN.sub(span, text))
    if not numbers.has_years(language):
        return text
    return _years(language).sub(
        lambda match: match[0] if _is_counted(match, language) else numbers.year(match[1], language), text
    )


@cache
def _decades(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){language.decades}")


@cache
def _counted(language: Language) -> re.Pattern[str]:
    return re.compile(rf"\s({language.counted})\b")


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
    following = _counted(language).match(match.string, match.end())
    counted = following is not None and following[1] not in language.uncounted
    if not counted and match[1] >= "1100":
        return False
    before = match.string[max(0, match.start() - 20) : match.start()].lower().split()
    return not (before and before[-1].strip("(\"'") in language.before_years)


_CLOCK = lazy_pattern(
    r"(?<![\w:.,])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:]|\.\d)(?:\s?([ap])\.?m(\.?)(?!\w))?", re.IGNORECASE
)
_CLOCK_WITH_DOT = lazy_pattern(
    r"(?<![\w.,])([01]?\d|2[0-4])\.([0-5]\d)(?!\d|[.:]\d)"
    r"(?:(?<=klockan \d\.\d\d)|(?<=klockan \d\d\.\d\d)|(?= (?:för|efter)middag))()()()"
)
_CLOCK_SPAN = lazy_pattern(r"((?<=klockan )\d{1,2}[.:]\d\d)\s?[-\u2012]\s?(\d{1,2}[.:]\d\d)(?!\d|[.:]\d)")
_CLOCK_WITH_DOT_AND_HALF = lazy_pattern(r"(?<![\w.,])(0?\d|1[0-2])\.([0-5]\d)()\s?([ap])\.?m(\.?)(?!\w)", re.IGNORECASE)
_DURATION = lazy_pattern(
    r"(?<![\w.,])(?:(?P<hour>\d{1,3})\s?h\s?)?(?P<minute>\d{1,2})\s?m(?:\s?(?P<second>\d{1,2})\s?s)?(?![\w/'²³])"
)
_HOUR = lazy_pattern(r"(?<![\w:.,])(1[0-2]|0?[1-9])\s?([ap])\.?m(\.?)(?!\w)", re.IGNORECASE)
_ZONE = lazy_pattern(r"(?<=m )(?:([ECMP])\.?([SD])\.?(T)|(G)\.?(M)\.?(T)|(U)\.?(T)\.?(C))(?!\w)", re.IGNORECASE)


def say_times(text: str, language: Language) -> str:
    """`5:05` as `five oh five`; with seconds it is a duration: `one hour one minute and one second`."""

    def hour(match: re.Match[str]) -> str:
        return numbers.cardinal(str(int(match[1])), language) + _half(match[2], match[3], match)

    def span(match: re.Match[str]) -> str:
        return f"{match[1].replace('.', ':')} {language.words['to']} {match[2].replace('.', ':')}"

    def duration(match: re.Match[str]) -> str:
        if match["hour"] is None and match["second"] is None:  # meters
            return match[0]
        return _duration({unit: int(count) for unit, count in match.groupdict().items() if count}, language)

    if language.dates_in_readings:
        return text
    text = _DURATION.sub(duration, _CLOCK_SPAN.sub(span, _HOUR.sub(hour, text)))
    for pattern in (_CLOCK, _CLOCK_WITH_DOT_AND_HALF, _CLOCK_WITH_DOT):
        text = pattern.sub(lambda match: _time(match, language), text)
    return _ZONE.sub(lambda match: " ".join(letter.upper() for letter in match.groups() if letter), text)


def _time(match: re.Match[str], language: Language) -> str:
    hour, minute = int(match[1]), int(match[2])
    half = _half(match[4], match[5], match) if match[4] else ""
    spoken = numbers.cardinal(str(hour), language)
    if match[3] and not half:
        return _duration({"hour": hour, "minute": minute, "second": int(match[3])}, language)
    if minute == 0 and not int(match[3] or 0):
        whole = language.words["oclock" if hour <= 12 else "hundred_hours"].format(hour=spoken)
        return f"{spoken}{half}" if half else whole
    oh = f"{language.words['oh']} " if minute < 10 else ""
    spoken = f"{spoken} {oh}{numbers.cardinal(str(minute), language)}"
    return f"{spoken} {numbers.cardinal(str(int(match[3])), language)}{half}" if match[3] else f"{spoken}{half}"


def _duration(counts: Mapping[str, int], language: Language) -> str:
    """The counts of hours, minutes and seconds, by `hour`, `minute` and `second`."""
    *first, last = (_time_unit(count, unit, language) for unit, count in counts.items())
    return f"{' '.join(first)} {language.words['and']} {last}"


def _time_unit(count: int, unit: str, language: Language) -> str:
    name = language.words[unit if count == 1 else f"{unit}s"]
    return f"{numbers.cardinal(str(count), language, numbers.form_before_name(name, language))} {name}"


def _half(letter: str, dot: str, match: re.Match[str]) -> str:
    """` a.m`, with a last dot only where a sentence ends."""
    return f" {letter.lower()}.m{'.' if dot and sentence_ends(match) else ''}"
