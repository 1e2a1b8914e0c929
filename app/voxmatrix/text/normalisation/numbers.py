"""Numbers in words, by the rule sets of a language. Digits come in as text."""

import re
from functools import lru_cache

from voxmatrix.text.normalisation.language import Agreement, Language, Names
from voxmatrix.text.normalisation.plurals import plural as plural_category
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


def in_blocks(written: str, language: Language) -> str:
    """A telephone number digit by digit, with a pause between its blocks; `+` is said."""
    blocks = ", ".join(one_by_one(block, language) for block in re.findall(r"\d+", written))
    return f"{language.words['plus']} {blocks}" if written.startswith("+") else blocks


def one_after_another(written: str, language: Language) -> str:
    """Each number in a text: `17/18/19` as `dix-sept dix-huit dix-neuf`."""
    return " ".join(cardinal(number, language) for number in re.findall(r"\d+", written))


def in_pairs(written: str, language: Language) -> str:
    """The digits two by two, as French telephone numbers are said: `06 12` as `zéro six douze`."""
    digits = re.sub(r"\D", "", written)
    pairs = re.findall(r"\d\d?", digits) if len(digits) % 2 == 0 else [digits[0], *re.findall(r"\d\d", digits[1:])]
    return " ".join(cardinal(pair, language) for pair in pairs)


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


def plural(written: str, names: Names, language: Language) -> str:
    """The name behind a number as it is written: `5 kilometers`, `1 kilometer`; in Polish one of four."""
    return names[_plural_index(written, language)]


@lru_cache(maxsize=1_000)
def _plural_index(written: str, language: Language) -> int:
    """Which of the names belongs to a number: they are in the order of the plural rules, and the last is for others."""
    whole, _, fraction = written.partition(language.decimal)
    digits = re.sub(r"\D", "", whole) or "0"
    category = plural_category(language.plurals, f"{digits}.{fraction}" if fraction else digits)
    return [*language.plurals, "other"].index(category)


def in_groups(digits: str, language: Language) -> str:
    """The number of a house or a model: `321` as `three twenty-one`, `1428` as `fourteen twenty-eight`."""
    return one_by_one(digits, language) if len(digits) > 4 else cardinal(digits, language, _own(language, "house"))


def denominator(digits: str, upper: str, language: Language) -> str:
    """`3` as `third` or, below another number than 1, `thirds`."""
    index = _plural_index(upper, language)
    named = language.denominators.get(digits)
    if named:
        return named[min(index, 1)]
    forms = ("part", "parts", "parts_of_many")
    return ordinal(digits, language, forms[index if forms[index] in language.spellout.rule_sets else 1])


def year(digits: str, language: Language) -> str:
    """`1984` as `nineteen eighty-four`, or in Swedish as `nittonhundraåttiofyra`."""
    return cardinal(digits, language, _own(language, "year"))


def has_years(language: Language) -> bool:
    """Whether years are said in another way than other numbers."""
    return "year" in language.spellout.rule_sets


def number(written: str, language: Language, form: str = "cardinal") -> str:
    """`1,234.5` as it is spoken, with the separators of the language; its sign is not for here."""
    whole, point, fraction = written.partition(language.decimal)
    agrees = not point or language.decimals_agree
    spoken = cardinal(re.sub(r"\D", "", whole) or "0", language, form if agrees else "cardinal")
    if not point:
        return spoken
    as_number = (
        language.decimals == "number" and len(fraction) <= language.longest_decimals and not fraction.startswith("0")
    )
    spoken_fraction = cardinal(fraction, language) if as_number else one_by_one(fraction, language)
    return f"{spoken} {language.words['point']} {spoken_fraction}"


def pattern(language: Language) -> str:
    """The regular expression of a number without sign, as this language writes it."""
    thousands, decimal = re.escape(language.thousands), re.escape(language.decimal)
    spaced = rf"\d{{1,3}}(?:{language.spaced_thousands})(?!\d)"
    grouped = rf"\d{{1,3}}(?:{thousands}\d{{3}})+(?!\d)"
    return rf"(?:{grouped}|{spaced}|\d+)(?:{decimal}\d+)?"


def _own(language: Language, rule_set: str) -> str:
    """The rule set if the language has it, else that of all numbers."""
    return rule_set if rule_set in language.spellout.rule_sets else "cardinal"


def _is_a_number(digits: str) -> bool:
    return len(digits) <= MAX_DIGITS and (digits[0] != "0" or digits == "0")


def _form_before(noun: str, agreement: Agreement) -> str:
    return next((form for pattern, form in agreement if pattern.fullmatch(noun)), "cardinal")
