"""Written text to the words that are spoken: one step after the other, each text to text."""

import re
from collections.abc import Callable

from voxmatrix.text.normalisation.abbreviations import expand
from voxmatrix.text.normalisation.dates import say_dates, say_times, say_years
from voxmatrix.text.normalisation.language import Language, language_of
from voxmatrix.text.normalisation.links import spell_links
from voxmatrix.text.normalisation.money import say_money
from voxmatrix.text.normalisation.numbers import read_numbers
from voxmatrix.text.normalisation.quantities import RANGE_DASH, say_measures, say_numbers, say_ranges, say_signs
from voxmatrix.text.normalisation.repair import repair, tidy

Step = Callable[[str, Language], str]

#: Needed for any text. The order matters: what knows more about a number comes before what knows less.
_WORDS: tuple[Step, ...] = (spell_links, expand)
_NUMBERS: tuple[Step, ...] = (say_dates, say_times, say_years, say_ranges, say_money, say_measures, say_numbers)

_ANY_DIGIT = re.compile(r"\d")


def normalise(text: str, language: str) -> str:
    """The text as it is said: numbers, dates, money and abbreviations in words, odd characters repaired.

    English and Swedish have rules of their own; of other languages only whole numbers are read. Never raises.
    `language` is a voice of espeak-ng or a language tag: `en-us`, `sv`, `sv-SE`.
    """
    text = repair(text)
    table = language_of(language)
    has_numbers = _ANY_DIGIT.search(text) is not None
    if table is None:
        return tidy(read_numbers(text.replace(RANGE_DASH, "-"), language) if has_numbers else text)
    for step in (*_WORDS, *(_NUMBERS if has_numbers else ()), say_signs):
        text = step(text, table)
    return tidy(text)
