"""What a language reads in a way of its own, by rows of its table: dates, times, ordinals, centuries, rulers.

A row is a regular expression and what is said for it. In the expression, `<day>`, `<month>` (a name of a month),
`<month_number>`, `<year>`, `<number>`, `<integer>` and `<roman>` stand for what they name, each with a group of that
name (`<roman_prefix>` is a Roman number before letters: XIXe), and `<ruler>` and `<part>` for one of the table's names;
`<starts>` and `<ends>` for places where a number may begin and end, `<after:am|im>` and `<not after:am|im>` for a place
behind one of these words and a space, whatever their case. In what is said:

| written | said |
| --- | --- |
| `{NAME}` | the group as it is |
| `{NAME:RULE_SET}` | its number, Arabic or Roman, by this rule set |
| `{NAME:declined}` | its ordinal in the form that the words around it ask for (`declension.py`) |
| `{NAME:number}`, `{NAME:month}`, `{NAME:digits}` | with its decimals; a month by its name; digit by digit |
| `{NAME:list}`, `{NAME:pairs}` | each number in it; its digits in pairs, as French telephones |
| `{NAME:silent}` | nothing: for brackets that depend on this group |
| `{NAME|one|many}` | the name that belongs to its number |
| `[...]` | only where all groups inside have been found |
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import Rule, any_of
from voxmatrix.text.normalisation.rules.declension import ordinal_form
from voxmatrix.text.normalisation.rules.roman import ROMAN, is_roman, value_of

_MACRO = lazy_pattern(r"(?<!P)<(?:([a-z_]+)|after:([^<>]+)|not after:([^<>]+))>")
_FIELD = lazy_pattern(r"\{(\w+)(?::(\w+))?(?:\|([^{}]*))?\}|(\[)|(\])")
_NEEDS_ROMAN, _NEEDS_DIGITS = re.compile(r"<roman"), re.compile(r"\\d|<(?:day|year|month_number|number|integer)>")
_DIGIT = lazy_pattern(r"\d")
_ROMAN_NUMBER = lazy_pattern(r"\b[IVXLCDM]+(?:er|re|e|ᵉ|ème|ère|s)?\b|\b[ivxl]{2,}\b")
#: Where a number or a name may begin. What looks back costs most, so it comes behind this.
_BEGINS = r"(?=[\dA-ZÀ-Ž])"

#: What of an expression is not a character as it stands; what is in the innermost group; what may be missing.
_NOT_LITERAL = lazy_pattern(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\[\w(){}|?*+\[\]]|(?<!P)<[a-z][^<>]*>|(?<!\\)[.^$]")
_INNERMOST = lazy_pattern(r"\([^()]*\)")
_OPTIONAL = lazy_pattern(r".(?:[?*]|\{[\d,]*\})")

#: What is said for a match, in one of its parts.
_Said = Callable[[re.Match[str]], str]


def say_readings(text: str, language: Language) -> str:
    """The text with the rows of the table applied, one after the other."""
    with_digits = _DIGIT.search(text) is not None
    rows = _rows(language, with_digits=with_digits)
    with_roman = rows.of_roman and _ROMAN_NUMBER.search(text) is not None
    for needed, of_roman, written, said in rows.rows if with_digits or with_roman else ():
        if needed in text and (with_roman or not of_roman):
            pattern, spoken = _rule(written, said, language)
            text = pattern.sub(spoken, text)
    return text


class _Rows(NamedTuple):
    """Rows that may apply: what a text must have, whether that is a Roman number, what is written, and what is said."""

    rows: tuple[tuple[str, bool, str, str], ...]
    of_roman: bool


@cache
def _rows(language: Language, *, with_digits: bool) -> _Rows:
    """The rows that may apply to a text with digits or without."""
    rows = tuple(
        (_literal_of(written), _NEEDS_ROMAN.search(written) is not None, written, said)
        for written, said in language.readings
        if with_digits or not _NEEDS_DIGITS.search(written)
    )
    return _Rows(rows=rows, of_roman=any(of_roman for _, of_roman, _, _ in rows))


def _literal_of(written: str) -> str:
    """The longest run of characters that every match has: most rows need not be tried, nor compiled."""
    plain = _NOT_LITERAL.sub("\0", written)
    while plain != (shorter := _INNERMOST.sub("\0", plain)):
        plain = shorter
    if "|" in plain:
        return ""
    runs = re.split(r"[\0+]", _OPTIONAL.sub("\0", plain))
    return max((run.replace("\\", "") for run in runs), key=len)


@cache
def _rule(written: str, said: str, language: Language) -> Rule:
    return _pattern(written, language), _spoken(said, language)


def _pattern(written: str, language: Language) -> re.Pattern[str]:
    months = [*language.months, *" ".join(language.short_months).split()]
    macros = {
        "day": r"(?P<day>0?[1-9]|[12]\d|3[01])",
        "month_number": r"(?P<month>0?[1-9]|1[0-2])",
        "month": rf"(?P<month>(?i:{any_of(months)}))",
        "year": r"(?P<year>1\d{3}|20\d\d)",
        "integer": rf"(?P<integer>\d{{1,3}}(?:(?:{re.escape(language.thousands)}| )\d{{3}})+(?!\d)|\d{{1,9}})",
        "number": rf"(?P<number>{numbers.pattern(language)})",
        "roman": rf"(?P<roman>{ROMAN}(?!\w))",
        "roman_prefix": rf"(?P<roman>{ROMAN})",
        "ruler": rf"{_BEGINS}(?P<ruler>{any_of(language.rulers)})",
        "part": rf"(?P<part>{any_of(language.numbered_parts)})",
        "starts": r"(?<![\w.,:/-])",
        "ends": r"(?![\w/-]|[.,:]\d)",
    }

    def expanded(macro: re.Match[str]) -> str:
        if macro[1]:
            return macros.get(macro[1], macro[0])
        words = (macro[2] or macro[3]).split("|")
        if macro[3]:
            return "".join(rf"(?<!\b(?i:{word})\s)" for word in words)
        return f"{_BEGINS}(?:" + "|".join(rf"(?<=\b(?i:{word})\s)" for word in words) + ")"

    return re.compile(_MACRO.sub(expanded, written))


def _spoken(said: str, language: Language) -> _Said:
    """The parts of a template outside of brackets, and those inside."""
    parts: list[_Said] = []
    inside: list[_Said] | None = None
    names: list[str] = []
    place = 0
    for found in _FIELD.finditer(said):
        into = parts if inside is None else inside
        into.append(_literal(said[place : found.start()]))
        place = found.end()
        if found[4]:
            inside, names = [], []
        elif found[5]:
            parts.append(_optional(inside or [], names))
            inside = None
        else:
            names.append(found[1])
            into.append(_field(found[1], found[2], found[3], language))
    parts.append(_literal(said[place:]))
    return lambda match: "".join(part(match) for part in parts)


def _literal(text: str) -> _Said:
    return lambda _match: text


def _optional(parts: list[_Said], names: list[str]) -> _Said:
    def said(match: re.Match[str]) -> str:
        return "".join(part(match) for part in parts) if all(match[_key(name)] for name in names) else ""

    return said


def _key(name: str) -> str | int:
    return int(name) if name.isdigit() else name


def _field(name: str, rule_set: str | None, forms: str | None, language: Language) -> _Said:
    key = _key(name)
    if forms is not None:
        of_number = tuple(forms.split("|"))
        return lambda match: numbers.plural(_digits(match[key], language), of_number, language)
    if rule_set is None:
        return lambda match: match[key] or ""
    if rule_set == "declined":
        return lambda match: numbers.ordinal(
            _digits(match[key], language), language, ordinal_form(match, key, language)
        )
    special = _SPECIAL.get(rule_set)
    if special is not None:
        return lambda match: special(match[key], language)
    return lambda match: numbers.cardinal(_digits(match[key], language), language, rule_set)


def _digits(written: str, language: Language) -> str:
    """The digits of a number, Arabic or Roman, without zeros before them."""
    if is_roman(written):
        return str(value_of(written))
    return re.sub(r"\D", "", written.partition(language.decimal)[0]).lstrip("0") or "0"


def _month(written: str, language: Language) -> int:
    """Of a number or a name, in full or short."""
    if written.isdigit():
        return int(written)
    folded = written.rstrip(".").lower()
    return next(
        number
        for number, (full, short) in enumerate(zip(language.months, language.short_months, strict=True), start=1)
        if folded in (full.lower(), *short.lower().split())
    )


#: What is said of a group, and is no rule set.
_SPECIAL: Mapping[str, Callable[[str, Language], str]] = {
    "silent": lambda _written, _language: "",
    "number": numbers.number,
    "digits": numbers.in_blocks,
    "list": numbers.one_after_another,
    "pairs": numbers.in_pairs,
    "month": lambda written, language: language.months[_month(written, language) - 1],
}
