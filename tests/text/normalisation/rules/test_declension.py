import re

import pytest

from voxmatrix.text.normalisation.language import language_of
from voxmatrix.text.normalisation.rules.declension import ordinal_form

_NUMBER = re.compile(r"(\d+)\.")


def form(text: str, language: str = "de") -> str:
    match = _NUMBER.search(text)
    assert match is not None
    return ordinal_form(match, 1, language_of(language))


@pytest.mark.parametrize(
    "text",
    [
        *("Am 3. Mai", "im 19. Jahrhundert", "des 2. Weltkriegs", "vom 1. Tag", "zur 3. Stunde", "einem 2. Kind"),
        *("in der 2. Reihe", "mit der 5. Klasse", "die Kinder der 3. Klasse", "bis 3. Mai", "Den 4. Juli"),
    ],
)
def test_weak_with_n(text):
    assert form(text) == "ordinal_n"


@pytest.mark.parametrize("text", ["der 2. Mann", "die 3. Frau", "das 1. Kind", "Ihre 2. Frage", "eine 2. Chance"])
def test_weak_with_e(text):
    assert form(text) == "ordinal"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mein 1. Freund", "ordinal_r"),
        ("mein 2. Kind", "ordinal_s"),
        ("Kein 3. Mal", "ordinal_s"),
        ("2. Auflage", "ordinal"),
        ("in 2. Auflage", "ordinal_r"),
        ("mit 3. Mann", "ordinal_m"),
        ("24. Dezember", "ordinal_r"),
    ],
)
def test_strong_without_an_article(text, expected):
    assert form(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("am ersten und 2. Mai", "ordinal_n"),
        ("der erste oder 2. Tag", "ordinal"),
        ("ein erster und 2. Tag", "ordinal_r"),
    ],
)
def test_as_the_ordinal_before(text, expected):
    assert form(text) == expected


def test_other_languages_have_one_form():
    assert form("am 3. Mai", "nl") == "ordinal"
