"""Amounts of money as they are said."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.abbreviations import Rule, any_of
from voxmatrix.text.normalisation.language import Currency, Language


def say_money(text: str, language: Language) -> str:
    """`$5.20`, `5 kr`, `€3 million`."""
    for pattern, said in _money_rules(language):
        text = pattern.sub(said, text)
    return text


@cache
def _money_rules(language: Language) -> list[Rule]:
    by_sign = {written: currency for currency in language.currencies for written in currency.written}
    sign, number = any_of(by_sign), numbers.pattern(language)
    magnitude = rf"(?:\s?({any_of(language.magnitudes)})(?!\w))?"

    def before(match: re.Match[str]) -> str:
        return _amount(match[2], match[3], by_sign[match[1]], language)

    def behind(match: re.Match[str]) -> str:
        return _amount(match[1], match[2], by_sign[match[3]], language)

    return [
        (re.compile(rf"(?<!\w)({sign})\s?({number}){magnitude}(?![\d]|[.,]\d)"), before),
        (re.compile(rf"(?<![\w.,])({number}){magnitude}\s?({sign})(?!\w)"), behind),
    ]


def _amount(written: str, magnitude: str | None, currency: Currency, language: Language) -> str:
    one, many, part_one, part_many = currency.names
    if magnitude:
        return f"{numbers.number(written, language)} {language.magnitudes[magnitude]} {many}"
    whole, point, parts = written.partition(language.decimal)
    if point and (len(parts) != 2 or not part_one):
        return f"{numbers.number(written, language)} {many}"
    large = _counted(whole, one, many, currency.one, language)
    small = _counted(parts.lstrip("0"), part_one, part_many, "", language) if parts.strip("0") else ""
    if small and not whole.strip("0"):
        return small
    return f"{large} {language.words['and']} {small}" if small else large


def _counted(written: str, one: str, many: str, one_word: str, language: Language) -> str:
    if written == "1":
        return f"{one_word or numbers.cardinal('1', language)} {one}"
    return f"{numbers.number(written, language)} {many}"
