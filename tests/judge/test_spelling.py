"""What is spelled otherwise is the same word; what sounds otherwise is not."""

import pytest

from voxmatrix.judge.hearing import word_errors
from voxmatrix.judge.spelling import words_of

LANGUAGES = "en-us", "es", "fr-fr"


@pytest.mark.parametrize(
    "pair",
    [
        ("favour", "favor"), ("neighbours", "neighbors"), ("colourful", "colorful"), ("organise", "organize"),
        ("realising", "realizing"), ("centre", "center"), ("theatres", "theaters"), ("travelled", "traveled"),
        ("marvellous", "marvelous"), ("catalogue", "catalog"), ("defence", "defense"), ("grey", "gray"),
        ("judgement", "judgment"), ("mould", "mold"), ("towards", "toward"), ("practised", "practiced"),
        ("plough", "plow"), ("cheque", "check"), ("paralysed", "paralyzed"), ("OK", "okay"),
        ("rosebush", "rose bush"), ("Who ever", "whoever"), ("twelve", "12"), ("horse's", "horse\u2019s"),
        ("\u201cIn\u201d", "'in'"), ("Mrs. Hale", "Missus Hale"),
    ],
)  # fmt: skip
def test_spellings_of_one_word_are_no_error(pair: tuple[str, str]) -> None:
    for text, heard in (pair, pair[::-1]):
        assert word_errors(f"We saw {text} here.", f"We saw {heard} here.", "en-us")[0] == 0


@pytest.mark.parametrize(
    "pair",
    [
        ("filled", "filed"), ("called", "cold"), ("pennant", "penit"), ("waxed", "wax"), ("hour", "or"),
        ("four", "fur"), ("rising", "resin"), ("Gryphon", "Griffin"), ("shoe", "she"), ("hoped", "hopped"),
        ("caller", "caler"), ("wise", "wires"), ("could", "cold"), ("rolled", "role"), ("tour", "tore"),
    ],
)  # fmt: skip
def test_other_words_are_errors(pair: tuple[str, str]) -> None:
    for text, heard in (pair, pair[::-1]):
        assert word_errors(f"We saw {text} here.", f"We saw {heard} here.", "en-us")[0] == 1


@pytest.mark.parametrize(
    ("language", "text", "heard"),
    [
        ("fr-fr", "L'homme a un œuf à dix-huit heures.", "L\u2019homme a un oeuf à 18h."),
        ("fr-fr", "Peut-être un été.", "peut être un e\u0301te\u0301"),
        ("es", "Tengo dieciséis años.", "Tengo 16 años"),
        ("en-us", "'Tis rock 'n' roll.", "\u2019Tis rock \u2019n\u2019 roll"),
    ],
)
def test_marks_and_numbers_are_no_difference(language: str, text: str, heard: str) -> None:
    assert word_errors(text, heard, language)[0] == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_lost_word_counts_in_every_language(language: str) -> None:
    assert word_errors("uno dos tres", "uno tres", language) == (1, 3)


def test_spelling_is_of_its_language() -> None:
    assert words_of("amour, tour, Favours", "fr") == ["amour", "tour", "favours"]
    assert words_of("Favours", "en-gb") == ["favors"]
