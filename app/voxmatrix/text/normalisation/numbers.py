"""Numbers in words. Digits come in as text; num2words is loaded when the first one comes."""

import re
from functools import lru_cache

from voxmatrix.text.normalisation.language import Language

#: Longer numbers are read digit by digit: nobody follows a quadrillion by ear.
MAX_DIGITS = 15


def cardinal(digits: str, language: Language) -> str:
    """`42` as `forty-two`; a number that is too long or begins with 0 digit by digit."""
    if len(digits) > MAX_DIGITS or (len(digits) > 1 and digits.startswith("0")):
        return one_by_one(digits, language)
    return _in_words(int(digits), language, "cardinal")


def one_by_one(digits: str, language: Language) -> str:
    """`007` as `zero zero seven`."""
    return " ".join(_in_words(int(digit), language, "cardinal") for digit in digits)


def ordinal(digits: str, language: Language) -> str:
    """`21` as `twenty-first`."""
    return _in_words(int(digits), language, "ordinal") if len(digits) <= MAX_DIGITS else cardinal(digits, language)


def year(digits: str, language: Language) -> str:
    """`1984` as `nineteen eighty-four`, or in Swedish as `nittonhundraåttiofyra`."""
    value = int(digits)
    if language.years == "pairs":
        return _in_words(value, language, "year")
    hundreds, rest = divmod(value, 100)
    if 1100 <= value < 2000 or value >= 2010:
        return f"{cardinal(str(hundreds), language)}hundra{cardinal(str(rest), language) if rest else ''}"
    return cardinal(digits, language)


def number(written: str, language: Language) -> str:
    """`1,234.5` as it is said, with the separators of the language; its sign is not for here."""
    whole, point, fraction = written.partition(language.decimal)
    said = cardinal(re.sub(r"\D", "", whole) or "0", language)
    if not point:
        return said
    as_number = language.decimals == "number" and len(fraction) <= 2 and not fraction.startswith("0")
    said_fraction = cardinal(fraction, language) if as_number else one_by_one(fraction, language)
    return f"{said} {language.words['point']} {said_fraction}"


def pattern(language: Language) -> str:
    """The regular expression of a number without sign, as this language writes it."""
    thousands, decimal = re.escape(language.thousands), re.escape(language.decimal)
    space = "" if language.thousands == "," else " "
    grouped = rf"\d{{1,3}}(?:[{thousands}{space}]\d{{3}})+(?!\d)"
    return rf"(?:{grouped}|\d+)(?:{decimal}\d+)?"


@lru_cache(maxsize=10_000)
def _in_words(value: int, language: Language, kind: str) -> str:
    from num2words import num2words

    words = str(num2words(value, lang=language.numbers, to=kind)).replace(",", "")
    for wrong, right in language.repairs.items():
        words = re.sub(wrong, right, words)
    return words


def read_numbers(text: str, tag: str) -> str:
    """The whole numbers of a language without a table in words, where num2words speaks it; else as they are."""
    return _WHOLE_NUMBER.sub(lambda match: _in_any_words(match[0], tag), text)


_WHOLE_NUMBER = re.compile(r"(?<![\d.,])\d+(?!\d|[.,]\d)")


@lru_cache(maxsize=10_000)
def _in_any_words(digits: str, tag: str) -> str:
    from num2words import CONVERTER_CLASSES, num2words

    base, _, region = tag.lower().replace("_", "-").partition("-")
    names = (f"{base}_{region.upper()}", {"nb": "no"}.get(base, base))
    name = next((name for name in names if name in CONVERTER_CLASSES), None)
    if name is None or len(digits) > MAX_DIGITS:
        return digits
    try:
        return str(num2words(int(digits), lang=name)).replace(",", "")
    except (
        NotImplementedError,
        ArithmeticError,
        ValueError,
        LookupError,
        TypeError,
    ):  # languages with gaps in num2words
        return digits
