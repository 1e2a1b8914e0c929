"""Ranges and minus signs: `10-20`, `$250-$300`, `5pm-7 pm`, `1-4=5`, `-5`."""

import re
from functools import cache

from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import any_of

#: What repair leaves between the numbers of a range.
RANGE_DASH = "\u2012"

_DASH = rf"\s?[-{RANGE_DASH}]\s?"
_MONEY = "[$£€¥₩₹]"
_AMOUNT = r"\d[\d.,]{0,20}(?<=\d)"
_ALIKE = re.compile(
    rf"(?:(?<=\ds)|(?<=\d%)|(?<=[ap]m)|(?<=[ap]\.m)|(?<=[ap]\.m\.)){_DASH}(?='?\d)"
    rf"|(?<=\d){_DASH}(?=\d{{1,2}}(?::\d\d)?\s?[ap]\.?m\b)|(?<=\d:\d\d){_DASH}(?=\d{{1,2}}:\d\d)",
    re.IGNORECASE,
)
_BOTH_MONEY = re.compile(rf"(?<={_MONEY})({_AMOUNT}(?:\s?\w{{1,8}})?){_DASH}(?={_MONEY}\s?\d)")
_ONE_MONEY = re.compile(rf"({_MONEY})({_AMOUNT}){_DASH}(?={_AMOUNT}(?![\w-]))")
_DIFFERENCE = re.compile(rf"(?<=\d){_DASH}(?={_AMOUNT}\s?=)|(?<=[a-z]){_DASH}(?=\d+\s?=)")
_AFTER_EQUALS = re.compile(rf"(=\s?{_AMOUNT}){_DASH}(?=\d)")
_NO_WHOLE = re.compile(r"(?<![\w.,])\.(?=\d)")
_MINUS = re.compile(rf"(?<![\w).,%-])-(?={_MONEY}?\d)")


def mark_ranges(text: str, language: Language) -> str:
    """A word for the dash between two amounts, times or decades; before anything else is read."""
    to, minus = (f" {language.words[word]} " for word in ("to", "minus"))
    text = _AFTER_EQUALS.sub(lambda match: match[1] + minus, _DIFFERENCE.sub(minus, text))
    text = _BOTH_MONEY.sub(lambda match: match[1] + to, _ALIKE.sub(to, text))
    return _ONE_MONEY.sub(lambda match: f"{match[2]}{to}{match[1]}", text)


def say_ranges(text: str, language: Language) -> str:
    """`10-20` and `10–20` with a word between, `-5` with its minus."""

    def span(match: re.Match[str]) -> str:
        first, last = (float(end.replace(",", "")) for end in match.groups())
        return f"{match[1]} {language.words['to'] if first < last else ''} {match[2]}"

    text = _NO_WHOLE.sub("0.", text) if language.decimal == "." else text
    text = re.sub(rf"\s?{RANGE_DASH}\s?", f" {language.words['to']} ", text)
    text = _span(language).sub(span, text)
    return _MINUS.sub(f"{language.words['minus']} ", text)


@cache
def _span(language: Language) -> re.Pattern[str]:
    number = r"(\d{1,9}(?:[.,]\d{1,9})?)"
    units = any_of(language.units)
    return re.compile(rf"(?<![\w.,:/-]){number}(?:-|\s-\s){number}(?![:/-]|[.,]?\d)(?=(?:{units})(?!\w)|(?!\w))")
