import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.normalisation.rules.roman import ROMAN, is_roman, value_of

_LETTERS = [
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")),
    *((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
]


def roman(value: int) -> str:
    written = ""
    for worth, letters in _LETTERS:
        written += letters * (value // worth)
        value %= worth
    return written


@given(st.integers(1, 3999))
def test_every_number_is_read_as_it_is_written(value):
    written = roman(value)
    assert re.fullmatch(ROMAN, written)
    assert value_of(written) == value_of(written.lower()) == value


@pytest.mark.parametrize("written", ["IIII", "VX", "IC", "MMMM", "", "XIA"])
def test_other_letters_are_no_numbers(written):
    assert re.fullmatch(ROMAN, written) is None


def test_what_can_be_one():
    assert is_roman("xiv") and is_roman("XIV") and not is_roman("12") and not is_roman("")
