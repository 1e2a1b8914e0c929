"""Numbers in words, by the rule sets of a language. Digits come in as text."""

import re
from functools import lru_cache

from voxmatrix.text.normalisation.language import Agreement, Language
from voxmatrix.text.normalisation.spellout import spell

#: Longer numbers are read digit by digit, which is easier to follow.
MAX_DIGITS = 15


def cardinal(digits: str, language: Language, form: str = "cardinal") -> str:
    """`42` as `forty-two`; a number that is too long or begins with 0 digit by digit.

    `form`: the rule set for a number in another form, such as `form_before_name` finds.
    """
    return spell(language.spellout, form, int(digits)) if _is_a_number(digits) else one_by_one(digits, language)


def one_by_one(digits: str, language: Language) -> str:
    """`007` as `zero zero seven`."""
    return " ".join(spell(language.spellout, "cardinal", int(digit)) for digit in digits)


def ordinal(digits: str, language: Language, form: str = "ordinal") -> str:
    """`21` as `twenty-first`, and `021` as `zero two first`; of a number that is too long, the digits.

    `form`: the rule set, for the day of a month, a ruler, a decade and the like.
    """
    if _is_a_number(digits):
        return spell(language.spellout, form, int(digits))
    if len(digits) > MAX_DIGITS:
        return one_by_one(digits, language)
    return f"{one_by_one(digits[:-1], language)} {spell(language.spellout, form, int(digits[-1]))}"


@lru_cache(maxsize=1_000)
def form_before_name(name: str, language: Language) -> str:
    """The rule set of a number before the name of a unit, a currency or a part."""
    return _form_before(name, language.agreement_of_names)


@lru_cache(maxsize=1_000)
def form_before_word(word: str, language: Language) -> str:
    """The rule set of a number before any other word of a text."""
    return _form_before(word, language.agreement_of_words)


def in_groups(digits: str, language: Language) -> str:
    """The number of a house or a model: `321` as `three twenty-one`, `1428` as `fourteen twenty-eight`."""
    return one_by_one(digits, language) if len(digits) > 4 else cardinal(digits, language, "house")


def denominator(digits: str, language: Language, *, many: bool) -> str:
    """`3` as `third` or `thirds`."""
    named = language.denominators.get(digits)
    return named[many] if named else ordinal(digits, language, "parts" if many else "part")


def year(digits: str, language: Language) -> str:
    """`1984` as `nineteen eighty-four`, or in Swedish as `nittonhundraåttiofyra`."""
    return cardinal(digits, language, "year")


def number(written: str, language: Language, form: str = "cardinal") -> str:
    """`1,234.5` as it is spoken, with the separators of the language; its sign is not for here."""
    whole, point, fraction = written.partition(language.decimal)
    spoken = cardinal(re.sub(r"\D", "", whole) or "0", language, form)
    if not point:
        return spoken
    as_number = language.decimals == "number" and len(fraction) <= 2 and not fraction.startswith("0")
    spoken_fraction = cardinal(fraction, language) if as_number else one_by_one(fraction, language)
    return f"{spoken} {language.words['point']} {spoken_fraction}"


def pattern(language: Language) -> str:
    """The regular expression of a number without sign, as this language writes it."""
    thousands, decimal = re.escape(language.thousands), re.escape(language.decimal)
    spaced = rf"\d{{1,3}}(?:{language.spaced_thousands})(?!\d)"
    grouped = rf"\d{{1,3}}(?:{thousands}\d{{3}})+(?!\d)"
    return rf"(?:{grouped}|{spaced}|\d+)(?:{decimal}\d+)?"


def _is_a_number(digits: str) -> bool:
    return len(digits) <= MAX_DIGITS and (digits[0] != "0" or digits == "0")


def _form_before(noun: str, agreement: Agreement) -> str:
    return next((form for pattern, form in agreement if pattern.fullmatch(noun)), "cardinal")
