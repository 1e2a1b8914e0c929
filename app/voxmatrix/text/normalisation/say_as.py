"""What `say-as` of SSML says a text is: a date, an ordinal, an amount … in words, by the table of a language.

SSML becomes text before it is known which voice speaks it, and so in which language. So `ssml` leaves a mark in the
text, `[say-as:date dmy|3/5/1998]`, and `spoken` reads it. Phonemes of a word are marked as well, since voices that take
none say the word: `[say-as:phonemes təˈmeɪtoʊ|tomato]`.
"""

import re
from collections.abc import Callable, Mapping

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language, language_of
from voxmatrix.text.normalisation.patterns import CAPITAL, SMALL, Rule, any_of, apply
from voxmatrix.text.normalisation.rules.amounts import say_fractions, say_measures, say_money
from voxmatrix.text.normalisation.rules.dates import say_times
from voxmatrix.text.normalisation.rules.readings import say_readings
from voxmatrix.text.normalisation.rules.signs import say_numbers

#: A mark: the kind and, where it has one, its format; then the text.
SAY_AS = r"\[say-as:(?P<kind>[a-z]+)(?: (?P<format>[^\[\]|\n]*))?\|(?P<written>[^\[\]|\n]*)\]"
_MARK = lazy_pattern(SAY_AS)
_PHONEMES = "phonemes"
#: Longer texts are none of these.
_MAX_CHARACTERS = 200
_NO_MARK = lazy_pattern(r"[][|\s]+")
_INCH = str.maketrans({'"': "\u2033"})  # which opens no quotation


def marked(written: str, kind: str, form: str) -> str | None:
    """A text with its mark; None if there is no such kind, or nothing to mark."""
    written = _NO_MARK.sub(" ", written).strip().translate(_INCH)
    if kind not in _KINDS or not written or len(written) > _MAX_CHARACTERS:
        return None
    return f"[say-as:{kind}{f' {form}' if form else ''}|{written}]"


def with_phonemes(written: str, phonemes: str) -> str:
    """A text with its mark. The phonemes have no brackets."""
    return f"[say-as:{_PHONEMES} {phonemes}|{_NO_MARK.sub(' ', written).strip()}]"


def without_marks(text: str) -> str:
    """The text as it is written."""
    return _MARK.sub(lambda mark: mark["written"], text) if "[say-as:" in text else text


def without_phonemes(text: str) -> str:
    """The text for a voice that takes no phonemes: with the words that they are of."""
    return _MARK.sub(lambda mark: mark["written"] if mark["kind"] == _PHONEMES else mark[0], text)


def said_as(written: str, kind: str, form: str, language: str) -> str | None:
    """A text in words; None if the language has no table, or the text is nothing of this kind.

    Args:
        written: `3/5/1998`.
        kind: a value of `interpret-as`: date; or phonemes.
        form: its format, if it has one: dmy; or the phonemes.
        language: a voice of espeak-ng or a language tag.
    """
    if kind == _PHONEMES:
        return f"[[{form}]]"
    table = language_of(language)
    if table is None or kind not in _KINDS or len(written) > _MAX_CHARACTERS:
        return None
    said = _KINDS[kind](written.strip(), form.lower(), table)
    return None if said is None or re.search(r"\d", said) else " ".join(said.split())


def _cardinal(written: str, _form: str, language: Language) -> str | None:
    match = re.fullmatch(rf"([+\u2212-]?)\s?({numbers.pattern(language)})", _own_decimal(written, language))
    if match is None:
        return None
    sign = {"": "", "+": language.words["plus"]}.get(match[1], language.words["minus"])
    return f"{sign} {numbers.number(match[2], language)}"


def _ordinal(written: str, _form: str, language: Language) -> str | None:
    match = re.fullmatch(r"(\d{1,3}(?:[., ]\d{3})+|\d+)[.\u00aa\u00ba]?[^\W\d_]{0,3}", written)
    return numbers.ordinal(re.sub(r"\D", "", match[1]), language) if match else None


def _fraction(written: str, _form: str, language: Language) -> str | None:
    match = re.fullmatch(r"(?:(\d{1,6})\s?[+\s]\s?)?(\d{1,9})\s?[/\u2044]\s?(\d{1,9})", written)
    if match is None:
        return None
    whole = f"{match[1]} " if match[1] else ""
    return say_fractions(f"{whole}{match[2]}/{match[3]}", language)


def _currency(written: str, _form: str, language: Language) -> str | None:
    return say_money(_own_decimal(written, language), language)


def _unit(written: str, _form: str, language: Language) -> str | None:
    text = _own_decimal(written.replace("\u2033", '"'), language)
    return say_numbers(say_measures(text, language), language)


def _own_decimal(written: str, language: Language) -> str:
    """`5.20` as `5,20` where the decimal mark is a comma: there are too few digits for thousands."""
    return re.sub(r"(?<=\d)[.,](?=\d{1,2}(?!\d))", language.decimal, written)


def _date(written: str, form: str, language: Language) -> str | None:
    order = "".join(dict.fromkeys(letter for letter in form if letter in "dmy"))
    found = dict(zip(order, _fields(written, form, order), strict=False))
    if not order or len(found) != len(order) or re.search(r"[^\W\d_]|\d\?|\?\d", " ".join(found.values())):
        return None
    day, month = (found.get(letter, "").strip("?").lstrip("0") for letter in "dm")
    year = _year(found.get("y", "").strip("?"), language)
    if not 1 <= int(month or 1) <= 12 or not 1 <= int(day or 1) <= 31 or (day and year and not month):
        return None
    given = {
        "day": numbers.ordinal(day, language, "day") if day else "",
        "month": language.months[int(month) - 1] if month else "",
        "year": year,
    }
    is_day_first = order.find("d") < order.find("m") or not language.month_before_day
    if day and month:
        whole = language.day_first_date if is_day_first else language.date
        alone = language.bare_day if is_day_first else "{month} {day}"
        return (whole if year else alone).format(**given)
    return f"{given['day'] or given['month']} {year}"


def _fields(written: str, form: str, order: str) -> list[str]:
    """The digits of each field: between other signs, or as many as its letter has in `yyyymmdd`."""
    fields = re.findall(r"[\w?]+", written)
    if len(fields) != 1 or len(order) <= 1:
        return fields if len(fields) == len(order) else []
    widths = [form.count(letter) for letter in order]
    if max(widths) == 1:
        widths = [4 if letter == "y" else 2 for letter in order]
    if len(fields[0]) != sum(widths):
        return []
    digits = iter(fields[0])
    return ["".join(next(digits) for _ in range(width)) for width in widths]


def _year(digits: str, language: Language) -> str:
    if not digits:
        return ""
    if len(digits) == 2 and digits.startswith("0"):
        return f"{language.words['oh']} {numbers.cardinal(digits[1], language)}"
    return numbers.year(digits, language) if len(digits) == 4 else numbers.cardinal(digits, language)


_TIME = lazy_pattern(r"(\d{1,2})(?:\s?[:.h]\s?(\d\d))?(?:\s?[:.]\s?(\d\d))?(?:\s?([ap])\.?\s?m\.?)?", re.IGNORECASE)

#: As Amazon has a time: 1'21".
_MINUTES = lazy_pattern(r"(\d{1,3})'\s?(\d{1,2})\u2033")


def _time(written: str, _form: str, language: Language) -> str | None:
    if minutes := _MINUTES.fullmatch(written):
        return _duration(f"{minutes[1]}:{minutes[2]}", "ms", language)
    match = _TIME.fullmatch(written)
    if match is None or not (match[2] or match[4]):
        return None
    half = f" {match[4]}.m." if match[4] else ""
    clock = f"{match[1]}{f':{match[2]}' if match[2] else ''}{half}"
    said = say_numbers(say_times(say_readings(clock, language), language), language).rstrip(".")
    return f"{said} {language.words['and']} {_counted('s', match[3], language)}" if int(match[3] or 0) else said


def _duration(written: str, form: str, language: Language) -> str | None:
    counts = re.findall(r"\d+", written)
    order = form if form in ("hms", "hm", "ms", "h", "m", "s") else "hms"
    if len(counts) != len(order) or not re.fullmatch(r"[\d:.\s]+", written):
        return None
    parts = [_counted(unit, count, language) for unit, count in zip(order, counts, strict=True) if int(count)]
    *first, last = parts or [_counted(order[-1], "0", language)]
    return f"{' '.join(first)} {language.words['and']} {last}" if first else last


def _counted(unit: str, count: str, language: Language) -> str:
    one = {"h": "hour", "m": "minute", "s": "second"}[unit]
    short = {"h": "h", "m": "min", "s": "s"}[unit]
    names = language.units.get(short, (language.words[one], language.words[f"{one}s"]))
    form = numbers.form_before_name(names[0], language)
    count = str(int(count))
    return f"{numbers.cardinal(count, language, form)} {numbers.plural(count, names, language)}"


def _address(written: str, _form: str, language: Language) -> str | None:
    """With `CT` and `NE` in full wherever they stand."""
    if not language.streets:
        return None
    rules: tuple[Rule, ...] = (
        (
            re.compile(rf"(?<=\w\s)(?i:({any_of(language.streets)}))\.?(?!\w|\s{CAPITAL}{SMALL})"),  # but St Paul
            lambda match: language.streets[match[1].lower()],
        ),
        (
            re.compile(rf"(?<=,\s)({any_of(language.states)})(?=\W|$)"),
            lambda match: language.states[match[1]],
        ),
        (
            re.compile(rf"(?<!\w)({any_of(language.directions)})\.?(?!\w)"),
            lambda match: language.directions[match[1]],
        ),
        (re.compile(r"(?<!\d)\d{5}(?:-\d{4})?(?!\w)"), lambda match: _digits(match[0], language)),
        (re.compile(r"^\d{1,4}(?=\s)"), lambda match: numbers.in_groups(match[0], language)),
    )
    return say_numbers(say_measures(apply(rules, written), language), language)


def _digits(written: str, language: Language) -> str:
    return numbers.one_by_one(re.sub(r"\D", "", written), language)


_KINDS: Mapping[str, Callable[[str, str, Language], str | None]] = {
    "cardinal": _cardinal,
    "number": _cardinal,
    "ordinal": _ordinal,
    "fraction": _fraction,
    "date": _date,
    "time": _time,
    "duration": _duration,
    "currency": _currency,
    "unit": _unit,
    "address": _address,
}
