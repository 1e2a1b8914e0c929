"""Written text to the words that are spoken: one step after the other, each text to text."""

from collections.abc import Callable

from voxmatrix.text.lazy_pattern import lazy_pattern
from voxmatrix.text.normalisation import chinese_japanese
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
from voxmatrix.text.normalisation.rules.readings import say_readings
from voxmatrix.text.normalisation.rules.signs import mark_signs, say_numbers, say_signs
from voxmatrix.text.normalisation.unread import say_unread, say_unread_fractions

Step = Callable[[str, Language], str]

#: The order matters: what knows more about a number comes before what knows less.
_WITHOUT_NUMBERS: tuple[Step, ...] = (
    spell_links,
    lower_words_in_capitals,
    expand,
    say_readings,
    say_roman_numbers,
    mark_signs,
    say_signs,
)
_WITH_NUMBERS: tuple[Step, ...] = (
    spell_links,
    lower_words_in_capitals,
    say_addresses,
    expand,
    say_readings,
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

_ANY_DIGIT = lazy_pattern(r"\d")
#: espeak-ng reads the groups as numbers of their own in most languages.
_SPACED_THOUSANDS = lazy_pattern(r"(?<![\d.,])(?<!\d )[1-9]\d{0,2}(?: \d{3})+(?! ?\d)")
#: As people type the degree sign.
_ORDINAL_SIGN = lazy_pattern(r"(?<=\d)\u00ba(?=\s?[CF&,.;\s]|$)")
#: Where `2º` is an ordinal: only of a temperature.
_SURE_DEGREE = lazy_pattern(r"(?<=\d)(\s?)\u00ba\s?(?=[CF](?!\w))")


def normalise(text: str, language: str, *, by_espeak: bool = True) -> str:
    """The text as it is spoken: numbers, dates, money and abbreviations in words, odd characters repaired.

    The languages of `WITH_TABLE` have rules of their own; in others characters are repaired, and the signs that
    espeak-ng leaves out become words: it reads the numbers. What is not pronounced `by_espeak` has Mandarin and
    Japanese numbers in words where wetext is installed; espeak-ng itself reads digits of Japanese, but no kanji. Never
    raises.
    `language` is a voice of espeak-ng or a language tag: `en-us`, `sv`, `sv-SE`.
    """
    table = language_of(language)
    if table is None:
        if not by_espeak and chinese_japanese.is_read(language):
            text = chinese_japanese.say_numbers(text, language)
        text = say_unread_fractions(without_notes(say_powers(text, language)), language)
        text = repair_for_espeak(_SURE_DEGREE.sub(r"\1°", text), language)
        text = _SPACED_THOUSANDS.sub(lambda match: match[0].replace(" ", ""), text)
        return tidy(say_unread(text, language))
    if "º" in text:
        text = (_SURE_DEGREE if "º" in table.signs else _ORDINAL_SIGN).sub("°", text)  # a sign of ordinals as well
    text = without_notes(write_powers(text))
    text = repair(mark_day_spans(text, table))
    for step in _WITH_NUMBERS if _ANY_DIGIT.search(text) else _WITHOUT_NUMBERS:
        text = step(text, table)
    return tidy(text)
