"""Amounts of money: `$5.20`, `5 kr`, `€3 million`, `$20/mo`."""

import re
from functools import cache

from voxmatrix.text.normalisation import numbers
from voxmatrix.text.normalisation.language import Currency, Language
from voxmatrix.text.normalisation.patterns import Rule, any_of, apply


def say_money(text: str, language: Language) -> str:
    """Amounts with the name of the currency behind them, in the singular for one."""
    return apply(_rules(language), text)


@cache
def _rules(language: Language) -> tuple[Rule, ...]:
    by_sign = {written: currency for currency in language.currencies for written in currency.written}
    sign, number = any_of(by_sign), numbers.pattern(language)
    words = any_of(written for written in by_sign if written.isalpha())  # behind a number they belong to it
    magnitude = rf"(?:\s?({any_of(language.magnitudes)})(?!\w))?"
    per = rf"(?:\s?/\s?({any_of([*language.per, *language.units])}|[a-zåäö]{{3,}})(?!\w))?"

    def spoken(written: str, large: str | None, currency: str, below: str | None) -> str:
        amount = _amount(written, large, by_sign[currency], language)
        unit, _ = language.units.get(below or "", (below, ""))
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
    one, many, part_one, part_many = currency.names
    if magnitude:
        return f"{_large(written, magnitude, language)} {many}"
    whole, point, parts = written.partition(language.decimal)
    parts = parts.rstrip("0").ljust(2, "0") if len(parts) != 2 else parts
    if point and (len(parts) != 2 or not part_one):
        return f"{numbers.number(written, language)} {many}"
    large = _counted(whole, one, many, language)
    small = _counted(parts.lstrip("0"), part_one, part_many, language) if point and parts.strip("0") else ""
    if small and not whole.strip("0"):
        return small
    return f"{large} {language.words['and']} {small}" if small else large


def _large(written: str, magnitude: str, language: Language) -> str:
    name = language.magnitudes[magnitude]
    return f"{numbers.number(written, language, common=name in language.common)} {name}"


def _counted(written: str, one: str, many: str, language: Language) -> str:
    common = not one.endswith(language.neuter)
    return f"{numbers.number(written, language, common=common)} {one if written == '1' else many}"
