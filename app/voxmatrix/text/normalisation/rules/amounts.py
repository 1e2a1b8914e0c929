"""Amounts: money `$5.20`, measures `5 km/h`, fractions `2 1/2 cups`, ranges and minus signs `10-20`, `-5`."""

import re
from functools import cache

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Currency, Language, Names
from voxmatrix.text.normalisation.patterns import TEXT_ENDS, Rule, any_of, apply, sentence_ends
from voxmatrix.text.normalisation.repair import RANGE_DASH


def say_money(text: str, language: Language) -> str:
    """Amounts with the name of the currency behind them, in the singular for one."""
    is_money = any(written in text for currency in language.currencies for written in currency.written)
    return apply(_money_rules(language), text) if is_money else text


@cache
def _money_rules(language: Language) -> tuple[Rule, ...]:
    by_sign = {written: currency for currency in language.currencies for written in currency.written}
    sign, number = any_of(by_sign), numbers.pattern(language)
    words = any_of(written for written in by_sign if written.isalpha())  # behind a number they belong to it
    magnitude = rf"(?:\s?({any_of(language.magnitudes)})(?!\w))?"
    per = rf"(?:\s?/\s?({any_of([*language.per, *language.units])}|[a-zåäö]{{3,}})(?!\w))?"

    def spoken(written: str, large: str | None, currency: str, below: str | None) -> str:
        amount = _amount(written, large, by_sign[currency], language)
        unit = language.units.get(below or "", (below,))[0]
        return f"{amount} {language.words['per']} {language.per.get(below, unit)}" if below else amount

    return (
        (
            re.compile(rf"(?<!\w)(?!(?<=\d\s)(?:{words}))({sign})\s?({number}){magnitude}(?![\d]|[.,]\d){per}"),
            lambda match: spoken(match[2], match[3], match[1], match[4]),
        ),
        (
            re.compile(rf"(?<![\w.,])({number}){magnitude}\s?({sign})(?!\w){per}"),
            lambda match: spoken(match[1], match[2], match[3], match[4]),
        ),
    )


def _amount(written: str, magnitude: str | None, currency: Currency, language: Language) -> str:
    names, many = currency.names, currency.names[-1 if len(currency.names) < 3 else 2]
    if magnitude:
        return f"{_large(written, magnitude, language)} {language.words.get('of', '')}{many}"
    whole, point, parts = written.partition(language.decimal)
    parts = parts.rstrip("0").ljust(2, "0") if len(parts) != 2 else parts
    if point and (len(parts) != 2 or not currency.parts):
        return _counted(written, names, language)
    large = _counted(whole, names, language)
    small = _counted(parts.lstrip("0"), currency.parts, language) if point and parts.strip("0") else ""
    if small and not whole.strip("0"):
        return small
    and_ = language.words.get("and_parts", language.words["and"])
    return " ".join(filter(None, (large, and_, small))) if small else large


def _large(written: str, magnitude: str, language: Language) -> str:
    name = language.magnitudes[magnitude]
    form = numbers.form_before_word(name, language)
    return f"{numbers.number(written, language, form)} {name}"


def _counted(written: str, names: Names, language: Language) -> str:
    form = numbers.form_before_name(names[0], language)
    return f"{numbers.number(written, language, form)} {numbers.plural(written, names, language)}"


_ANGLE = lazy_pattern(
    r"(?<=\d)\s?°\s?(\d{1,2})\s?'(?!\w)(?:\s?(\d{1,2}(?:[.,]\d+)?)\s?\"(?!\w))?(?:\s?([NSEW]{1,2})(?!\w|\.\w))?|(?<=\d)\s?°\s()()([NSEW])(?!\w|\.\w)"
)
_SHILLINGS = lazy_pattern(
    r"£\s?(\d[\d,]*)(?:,\s?|\s)(\d{1,2})s\.?(?:,?\s?(\d{1,2})d\b\.?)?|(?<![\w£.,])()(\d{1,2})s(?:\.,?\s?|\s)(\d{1,2})d\b\.?"
)


def say_several_units(text: str, language: Language) -> str:
    """`30° 31' 39" N` in minutes and seconds, not in feet; `£3 10s. 6d.` in shillings and pence."""
    words = language.words

    def angle(match: re.Match[str]) -> str:
        minutes, seconds, where = match[1], match[2], match[3] or match[6]
        parts = [f"{minutes} {words['minute' if minutes == '1' else 'minutes']}"] if minutes else []
        parts += [f"{seconds} {words['second' if seconds == '1' else 'seconds']}"] if seconds else []
        return " ".join(["°", *parts, *([language.directions.get(where, where)] if where else [])])

    def money(match: re.Match[str]) -> str:
        counts = (match[1] or "", match[2] or match[5], match[3] or match[6] or "")
        named = (("pound", "pounds"), ("shilling", "shillings"), ("penny", "pence"))
        spoken = [
            f"{count} {words[one if count == '1' else many]}"
            for count, (one, many) in zip(counts, named, strict=True)
            if count
        ]
        return ", ".join(spoken) + ("." if match[0].endswith(".") and sentence_ends(match) else "")

    text = _ANGLE.sub(angle, text)
    return _SHILLINGS.sub(money, text) if "shilling" in words else text


_SIZE = lazy_pattern(r"(?<=\d)\s?[x×]\s?(?=\d)(?![^=\n]{0,20}=)|(?<=[a-z])\s[x×]\s(?=\d)(?![^=\n]{0,20}=)")
_HEIGHT = lazy_pattern(r"(?<![\w.,])(\d{1,2})'\s?(\d{1,2})\"")


#: An inch before what has it: not before `long`, or a word that goes on.
_INCHES = lazy_pattern(
    r"(?<![\w.,'])(\d{1,3}(?:\.\d+)?)\"(?!\w)"
    r"(?=(-|\s(?!(?:long|wide|tall|high|deep|thick|by|x|and|or|to|of|from|in|is|are)\b)[^\W\d_])?)"
)
_OPENING, _CLOSING = re.compile(r"(?<![^\s(\[])\""), re.compile(r"(?<=[^\s\d(\[])\"")


def _inches(match: re.Match[str], language: Language) -> str:
    """`12" LP` with the word for inches, unless the mark may close a quotation."""
    before = match.string[: match.start()]
    if len(_OPENING.findall(before)) > len(_CLOSING.findall(before)):
        return match[0]
    return f"{match[1]} {language.words['inch' if match[2] else 'inches']}"


def say_measures(text: str, language: Language) -> str:
    """The words around a number, some with the number itself."""
    words = language.words
    text = _foreign_decimal(language).sub(rf"\1{language.decimal}", text)
    text = _HEIGHT.sub(rf"\1 {words['feet']} \2 {words['inches']}", _SIZE.sub(f" {words['by']} ", text))
    text = _INCHES.sub(lambda match: _inches(match, language), text)
    if "§" in text:  # 3 § in Swedish
        text = re.sub(r"(?<![\w.,])(\d{1,4})\s?§(?!\s?[\d§])", r"§ \1", text)
    text = apply(_measure_rules(language), text)
    text = _per(language).sub(lambda match: f" {words['per']} {match[1] or language.per[match[2]]}", text)
    text = re.sub(r"(?<=\d)\s?%", f" {words['percent']}", text)
    return re.sub(r"(?<=\d)\s?‰", f" {words['permille']}", text)


@cache
def _foreign_decimal(language: Language) -> re.Pattern[str]:
    """`1,5 kg` in English, `1.5 kg` in Swedish: too few digits for thousands."""
    mark = "," if language.decimal == "." else r"\."
    return re.compile(rf"(?<![\w.,])(\d{{1,6}}){mark}(?=\d{{1,2}}\s?(?:{any_of(language.units)}|%)(?![\w/'²³]))")


@cache
def _per(language: Language) -> re.Pattern[str]:
    """`24 hours/day`, `5 %/yr`."""
    return re.compile(rf"(?<=[a-z%])/({any_of([*language.per.values()])})(?!\w)|(?<=%)/({any_of(language.per)})(?!\w)")


@cache
def _measure_rules(language: Language) -> tuple[Rule, ...]:
    endings, words = any_of(language.ordinal_endings), language.words
    short = [key for key, full in language.magnitudes.items() if len(key) > 1 and key != full]

    def ordinal(match: re.Match[str]) -> str:
        return numbers.ordinal(match[1].replace(",", ""), language)

    def thousands(match: re.Match[str]) -> str:
        """`100k users`, and not `a 4k video`."""
        return _large(match[1], "k", language) if "k" in language.magnitudes else match[0]

    return (
        (re.compile(r"#\s?(?=\d)"), lambda _match: f"{words['number']} "),
        (re.compile(r"§\s?(?=\d)"), lambda _match: f"{words['section']} "),
        (re.compile(r"~\s?(?=\d)"), lambda _match: f"{words['about']} "),
        (re.compile(rf"(?<![\w.,])([\d,]*\d)(?:(?i:{endings}))(?!\w)"), ordinal),
        (
            re.compile(rf"(?<![\w.,])({numbers.pattern(language)})\s({any_of(short)})(?!\w)"),
            lambda match: _large(match[1], match[2], language),
        ),
        _units(language),
        (re.compile(rf"(?<![\w.,])({numbers.pattern(language)})k(?=\s[a-z]{{2,}}s\b)"), thousands),
    )


#: The dot of `12 lbs. of` and `(5 ft.)`, which ends no sentence; tidy removes that before a comma.
_UNIT_DOT = r"(?:\.(?=\s[a-zåäö]|[)\]-]))?"


def _units(language: Language) -> Rule:
    number, units, per = numbers.pattern(language), language.units, language.per
    large = any_of(key for key in language.magnitudes if len(key) > 4)

    def unit(match: re.Match[str]) -> str:
        written, magnitude, name, below = match.groups()
        names = units[name]
        if magnitude:
            many = names[-1 if len(names) < 3 else 2]
            spoken = f"{_large(written, magnitude, language)} {language.words.get('of', '')}{many}"
        else:
            spoken = _counted(written, names, language)
        end = "." if name.endswith(".") and TEXT_ENDS.match(match.string, match.end()) else ""
        return (f"{spoken} {language.words['per']} {per.get(below) or units[below][0]}" if below else spoken) + end

    pattern = (
        rf"(?<![\w.,])({number})(?:\s({large})(?!\w))?\s?({any_of(units)})(?:/({any_of([*per, *units])}))?(?![\w/'²³])"
        rf"{_UNIT_DOT}"
    )
    return re.compile(pattern), unit


_MINUS_PART = lazy_pattern(r"(?<![\w).,:/%-])-(?=(?:\d{1,6}\s)?\d{1,9}/\d{1,9}(?![\w/-]|[.,]\d))")


def say_fractions(text: str, language: Language) -> str:
    """The lower number as an ordinal; a unit that follows in full."""

    def fraction(match: re.Match[str]) -> str:
        whole, upper, _, lower, unit = match.groups()
        if whole and (upper, lower) == ("1", "2") and "halves" in language.spellout.rule_sets:
            spoken = numbers.cardinal(whole, language, "halves")  # zweieinhalb
        else:
            spoken = _part(upper, lower, language, whole=bool(whole))
            spoken = f"{numbers.cardinal(whole, language)} {spoken}" if whole else spoken
        return f"{spoken} {language.units[unit][bool(whole)]}" if unit else spoken

    if "/" not in text:
        return text
    text = _MINUS_PART.sub(f"{language.words['minus']} ", text)
    return _pattern(language).sub(fraction, text)


def _part(upper: str, lower: str, language: Language, *, whole: bool) -> str:
    and_ = f"{language.words['and']} " if whole else ""
    if (upper, lower) == ("1", "2"):
        return language.words["and_a_half" if whole else "half"]
    part = numbers.denominator(lower, upper, language)
    form = numbers.form_before_name(part, language)
    return f"{and_}{numbers.cardinal(upper, language, form)} {part}"


@cache
def _pattern(language: Language) -> re.Pattern[str]:
    endings, units = any_of([*language.ordinal_endings, "s"]), any_of(language.units)
    return re.compile(
        rf"(?<![\w.,:/-])(?:(\d{{1,6}})\s)?(\d{{1,9}})(\s?)/\3(\d{{1,9}})(?:(?i:{endings}))?(?![\w/-]|[.,]\d)"
        rf"(?:\s?({units})(?![\w/'²³]){_UNIT_DOT})?"
    )


_DASHES = frozenset(f"-{RANGE_DASH}")
_DASH = rf"\s?[-{RANGE_DASH}]\s?"
_MONEY = "[$£€¥₩₹]"
_AMOUNT = r"\d[\d.,]{0,20}(?<=\d)"
_ALIKE = lazy_pattern(
    rf"(?:(?<=\ds)|(?<=\d%)|(?<=\d[ap]m)|(?<=\d\s[ap]m)|(?<=[ap]\.m)|(?<=[ap]\.m\.)){_DASH}(?='?\d)"
    rf"|(?<=\d){_DASH}(?=\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b)|(?<=\d:\d\d){_DASH}(?=\d{{1,2}}:\d\d)",
    re.IGNORECASE,
)
_BOTH_MONEY = lazy_pattern(rf"(?<={_MONEY})({_AMOUNT}(?:\s?\w{{1,8}})?){_DASH}(?={_MONEY}\s?\d)")
_ONE_MONEY = lazy_pattern(rf"({_MONEY})({_AMOUNT}){_DASH}(?={_AMOUNT}(?![\w-]))")
_VERSES = lazy_pattern(rf"(\d{{1,3}}:\d{{1,3}})[-{RANGE_DASH}](?=\d{{1,3}}(?![\w:-]))")
_DIFFERENCE = lazy_pattern(rf"(?<=\d){_DASH}(?={_AMOUNT}\s?=)|(?<=[a-z]){_DASH}(?=\d+\s?=)")
_AFTER_EQUALS = lazy_pattern(rf"(=\s?{_AMOUNT}){_DASH}(?=\d)")
_NO_WHOLE = lazy_pattern(r"(?<![\w.,])\.(?=\d)")
_NO_WHOLE_MONEY = lazy_pattern(rf"(?<={_MONEY}),(?=\d)")
_MINUS = lazy_pattern(rf"(?<![\w).,%-])-(?={_MONEY}?\d)")


def mark_ranges(text: str, language: Language) -> str:
    """A word for the dash between two amounts, times or decades; before anything else is read."""
    if not _DASHES & set(text):
        return text
    to, minus = (f" {language.words[word]} " for word in ("to", "minus"))
    text = _AFTER_EQUALS.sub(lambda match: match[1] + minus, _DIFFERENCE.sub(minus, text))
    text = _BOTH_MONEY.sub(lambda match: match[1] + to, _ALIKE.sub(to, text))
    if ":" in text:
        text = _VERSES.sub(rf"\1{to}", text)
    return _ONE_MONEY.sub(lambda match: f"{match[2]}{to}{match[1]}", text)


def say_ranges(text: str, language: Language) -> str:
    """`10-20` and `10–20` with a word between, `-5` with its minus."""

    def span(match: re.Match[str]) -> str:
        first, last = (float(end.replace(",", "")) for end in match.group(1, 2))
        return f"{match[1]} {language.words['to'] if first < last or match[3] else ''} {match[2]}"

    text = _NO_WHOLE.sub("0.", text) if language.decimal == "." else _NO_WHOLE_MONEY.sub("0,", text)
    if not _DASHES & set(text):
        return text
    if RANGE_DASH in text:
        to = language.words["to"]
        text = re.sub(rf"{RANGE_DASH}(?<=\d{RANGE_DASH})(?=\d{{1,3}}\s{to}\b)", " ", text)  # a score
        text = re.sub(rf"\s?{RANGE_DASH}\s?", f" {to} ", text)
    text = _span(language).sub(span, text)
    return _MINUS.sub(f"{language.words['minus']} ", text)


@cache
def _span(language: Language) -> re.Pattern[str]:
    number = r"(\d{1,9}(?:[.,]\d{1,9})?)"
    units = any_of(language.units)
    return re.compile(rf"(?<![\w.,:/-]){number}(?:-|\s-\s){number}(?![:/-]|[.,]?\d)(?=({units})(?!\w)|(?!\w))")
