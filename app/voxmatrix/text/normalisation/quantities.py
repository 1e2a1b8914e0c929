"""Measures, shares, ranges and the numbers that are left, as they are said."""

import re
from collections.abc import Mapping
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.abbreviations import Rule, any_of
from voxmatrix.text.normalisation.language import Language

#: What repair leaves between the numbers of a range.
RANGE_DASH = "\u2012"


def say_ranges(text: str, language: Language) -> str:
    """`10-20` and `10–20` with a word between, `-5` with its minus, telephone numbers digit by digit."""

    def telephone(match: re.Match[str]) -> str:
        groups = ", ".join(numbers.one_by_one(group, language) for group in re.findall(r"\d+", match[0]))
        return f"{language.words['plus']} {groups}" if match[0].startswith("+") else groups

    def span(match: re.Match[str]) -> str:
        first, last = (float(end.replace(",", ".")) for end in match.groups())
        return f"{match[1]} {language.words['to'] if first < last else ''} {match[2]}"

    text = _TELEPHONE.sub(telephone, _NO_WHOLE.sub("0.", text) if language.decimal == "." else text)
    text = re.sub(rf"\s?{RANGE_DASH}\s?", f" {language.words['to']} ", text)
    text = _SPAN.sub(span, text)
    return _MINUS.sub(f"{language.words['minus']} ", text)


_NO_WHOLE = re.compile(r"(?<![\w.,])\.(?=\d)")
_TELEPHONE = re.compile(
    r"(?<![\w.,-])(?:\+\d{1,3}[ -]?(?:\(0\))?[\d -]{5,15}\d|0\d{1,3}-\d{2,3}(?: ?\d{2,3}){1,3}"
    r"|\(?\d{3}\)?[ -]\d{3}-\d{4}|\d{3}-\d{4})(?![\w-]|[.,]\d)"
)
_SPAN = re.compile(r"(?<![\w.,:/-])(\d{1,9}(?:[.,]\d{1,9})?)-(\d{1,9}(?:[.,]\d{1,9})?)(?![\w:/-]|[.,]\d)")
_MINUS = re.compile(r"(?<![\w).,%-])-(?=[$£€¥₹]?\d)")


def say_measures(text: str, language: Language) -> str:
    """`5 km/h`, `20 %`, `3rd`, `1/2`, `#5`: the words around a number, some with the number itself."""
    words = language.words
    for pattern, said in _measure_rules(language):
        text = pattern.sub(said, text)
    text = re.sub(r"(?<=\d)\s?%", f" {words['percent']}", text)
    return re.sub(r"(?<=\d)\s?‰", f" {words['permille']}", text)


@cache
def _measure_rules(language: Language) -> list[Rule]:
    number, units = numbers.pattern(language), language.units
    endings = any_of(language.ordinal_endings)

    def unit(match: re.Match[str]) -> str:
        return f"{match[1]} {units[match[2]][match[1] != '1']}"

    def ordinal(match: re.Match[str]) -> str:
        return numbers.ordinal(match[1].replace(",", ""), language)

    def part(match: re.Match[str]) -> str:
        said = language.fractions.get(match[2])
        if said is None:
            return match[0].replace("/", " ")
        return f"{match[1]} {language.words['and']} {said}" if match[1] else said

    return [
        (re.compile(r"#\s?(?=\d)"), lambda _match: f"{language.words['number']} "),
        (re.compile(r"§\s?(?=\d)"), lambda _match: f"{language.words['section']} "),
        (re.compile(r"~\s?(?=\d)"), lambda _match: f"{language.words['about']} "),
        (re.compile(rf"(?<![\w.,])([\d,]*\d)(?:{endings})(?!\w)"), ordinal),
        (re.compile(r"(?<![\w.,/])(?:(\d+) )?(\d{1,2}/\d{1,2})(?![\w/]|[.,]\d)"), part),
        (re.compile(rf"(?<![\w.,])({number})\s?({any_of(units)})(?![\w/'²³])(?:\.(?=\s[a-zåäö]))?"), unit),
    ]


def say_numbers(text: str, language: Language) -> str:
    """Every digit that is left: numbers, versions such as 1.2.3, and numbers grown together with letters (MP3)."""

    def version(match: re.Match[str]) -> str:
        return f" {language.words['dot']} ".join(numbers.cardinal(part, language) for part in match[0].split("."))

    text = _GROWN_TOGETHER.sub(" ", text)
    text = _plain_number(language).sub(lambda match: numbers.number(match[1], language), text)
    text = _VERSION.sub(version, text)
    return _RUN.sub(lambda match: numbers.cardinal(match[0], language), _BETWEEN_RUNS.sub(" ", text))


_GROWN_TOGETHER = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")
_BETWEEN_RUNS = re.compile(r"(?<=\d)[^\w\s](?=\d)")
_RUN = re.compile(r"\d+")


@cache
def _plain_number(language: Language) -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.,])({numbers.pattern(language)})(?![\d]|[.,]\d)")


def say_signs(text: str, language: Language) -> str:
    """`&`, `+`, `=`, `°` as words; brackets and the signs of markup as nothing."""
    for sign, word in _signs(language).items():
        if sign in text:
            text = text.replace(sign, f" {word} ")
    return _SILENT_SIGNS.sub(" ", _SLASH.sub(" ", text))


_SLASH = re.compile(r"(?<=\w)\s?/\s?(?=\w)")
_SILENT_SIGNS = re.compile(r"[\\/*_^`{}<>|~#\[\]\u00a8\u00af\u00b8\u00a6\u00b6\u2020\u2021\u2022\u2012\u2013]+")


@cache
def _signs(language: Language) -> Mapping[str, str]:
    words = language.words
    money = {
        written: currency.names[1]
        for currency in language.currencies
        for written in currency.written
        if written in ("$", "£", "€", "¥", "₹")
    }
    return money | {
        "&": words["and"],
        "+": words["plus"],
        "=": words["equals"],
        "×": words["times"],
        "÷": words["divided_by"],
        "§": words["section"],
        "°": words["degrees"],
        "%": words["percent"],
        "@": words["at"],
        "²": "",
        "³": "",
    }
