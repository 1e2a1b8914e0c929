"""Measures: `5 km/h`, `100 million kg`, `25 x 7 m`, `20 %`, `3rd`, `#5`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Language
from voxmatrix.text.normalisation.patterns import TEXT_ENDS, Rule, any_of, apply

_SIZE = re.compile(r"(?<=\d)\s?[x×]\s?(?=\d)(?![^=\n]{0,20}=)|(?<=[a-z])\s[x×]\s(?=\d)(?![^=\n]{0,20}=)")
_HEIGHT = re.compile(r"(?<![\w.,])(\d{1,2})'\s?(\d{1,2})\"")


def say_measures(text: str, language: Language) -> str:
    """The words around a number, some with the number itself."""
    words = language.words
    text = _HEIGHT.sub(rf"\1 {words['feet']} \2 {words['inches']}", _SIZE.sub(f" {words['by']} ", text))
    text = apply(_rules(language), text)
    text = _per(language).sub(lambda match: f" {words['per']} {match[1] or language.per[match[2]]}", text)
    text = re.sub(r"(?<=\d)\s?%", f" {words['percent']}", text)
    return re.sub(r"(?<=\d)\s?‰", f" {words['permille']}", text)


@cache
def _per(language: Language) -> re.Pattern[str]:
    """`24 hours/day`, `5 %/yr`."""
    return re.compile(rf"(?<=[a-z%])/({any_of([*language.per.values()])})(?!\w)|(?<=%)/({any_of(language.per)})(?!\w)")


@cache
def _rules(language: Language) -> tuple[Rule, ...]:
    endings, words = any_of(language.ordinal_endings), language.words

    def ordinal(match: re.Match[str]) -> str:
        return numbers.ordinal(match[1].replace(",", ""), language)

    return (
        (re.compile(r"#\s?(?=\d)"), lambda _match: f"{words['number']} "),
        (re.compile(r"§\s?(?=\d)"), lambda _match: f"{words['section']} "),
        (re.compile(r"~\s?(?=\d)"), lambda _match: f"{words['about']} "),
        (re.compile(rf"(?<![\w.,])([\d,]*\d)(?:(?i:{endings}))(?!\w)"), ordinal),
        _units(language),
    )


def _units(language: Language) -> Rule:
    number, units, per = numbers.pattern(language), language.units, language.per
    large = any_of(key for key in language.magnitudes if len(key) > 4)

    def unit(match: re.Match[str]) -> str:
        written, magnitude, name, below = match.groups()
        one, many = units[name]
        common = not (one.endswith(language.neuter) or magnitude)
        spoken = numbers.number(written, language, common=common)
        spoken = f"{spoken} {magnitude} {many}" if magnitude else f"{spoken} {one if written == '1' else many}"
        end = "." if name.endswith(".") and TEXT_ENDS.match(match.string, match.end()) else ""
        return (f"{spoken} {language.words['per']} {per.get(below) or units[below][0]}" if below else spoken) + end

    pattern = (
        rf"(?<![\w.,])({number})(?:\s({large}))?\s?({any_of(units)})(?:/({any_of([*per, *units])}))?(?![\w/'²³])"
        r"(?:\.(?=\s[a-zåäö]))?"
    )
    return re.compile(pattern), unit
