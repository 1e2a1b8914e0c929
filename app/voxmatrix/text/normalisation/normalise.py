"""Written text to the words that are spoken: one step after the other, each text to text."""

import re
from collections.abc import Callable

from voxmatrix.text.normalisation.language import Language, language_of
from voxmatrix.text.normalisation.repair import repair, repair_for_espeak, tidy
from voxmatrix.text.normalisation.rules.abbreviations import (
    expand,
    lower_words_in_capitals,
    say_addresses,
    say_roman_numbers,
)
from voxmatrix.text.normalisation.rules.amounts import (
    mark_ranges,
    say_fractions,
    say_measures,
    say_money,
    say_ranges,
    say_several_units,
)
from voxmatrix.text.normalisation.rules.codes import say_codes, spell_links
from voxmatrix.text.normalisation.rules.dates import mark_day_spans, say_dates, say_times, say_years
from voxmatrix.text.normalisation.rules.powers import say_powers, without_notes, write_powers
from voxmatrix.text.normalisation.rules.signs import mark_signs, say_numbers, say_signs

Step = Callable[[str, Language], str]

#: The order matters: what knows more about a number comes before what knows less.
_WITHOUT_NUMBERS: tuple[Step, ...] = (
    spell_links,
    lower_words_in_capitals,
    expand,
    say_roman_numbers,
    mark_signs,
    say_signs,
)
_WITH_NUMBERS: tuple[Step, ...] = (
    spell_links,
    lower_words_in_capitals,
    say_addresses,
    expand,
    say_roman_numbers,
    mark_signs,
    say_several_units,
    mark_ranges,
    say_dates,
    say_times,
    say_codes,
    say_years,
    say_fractions,
    say_ranges,
    say_money,
    say_measures,
    say_numbers,
    say_signs,
)

_ANY_DIGIT = re.compile(r"\d")
#: espeak-ng reads the groups as numbers of their own in most languages.
_SPACED_THOUSANDS = re.compile(r"(?<![\d.,])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?! ?\d)")
#: As people type the degree sign.
_ORDINAL_SIGN = re.compile(r"(?<=\d)\u00ba(?=\s?[CF&,.;\s]|$)")


def normalise(text: str, language: str) -> str:
    """The text as it is spoken: numbers, dates, money and abbreviations in words, odd characters repaired.

    English and Swedish have rules of their own; of other languages only characters are repaired:
    espeak-ng reads their numbers. Never raises.
    `language` is a voice of espeak-ng or a language tag: `en-us`, `sv`, `sv-SE`.
    """
    table = language_of(language)
    if table is None:
        text = repair_for_espeak(without_notes(say_powers(text, language)), language)
        return tidy(_SPACED_THOUSANDS.sub(lambda match: match[0].replace(" ", ""), text))
    text = without_notes(write_powers(_ORDINAL_SIGN.sub("°", text)))
    text = repair(mark_day_spans(text, table))
    for step in _WITH_NUMBERS if _ANY_DIGIT.search(text) else _WITHOUT_NUMBERS:
        text = step(text, table)
    return tidy(text)
