"""Texts in another language than they should have."""

from itertools import permutations

import pytest

from voxmatrix.text.language_guess import language_words, other_language
from voxmatrix.text.prompts import sentence_list

SENTENCES = {
    "en": "I do not know what you want, but it is a beautiful day in the city.",
    "sv": "Jag vet inte vad du heter, men det är en vacker dag i staden.",
    "de": "Ich weiß nicht, was du willst, aber es ist ein schöner Tag in der Stadt.",
    "fr": "Je ne sais pas ce que vous voulez, mais c'est une belle journée dans la ville.",
    "es": "No sé lo que quieres, pero es un día muy bonito en la ciudad.",
    "pl": "Nie wiem, co to jest, ale jak mi się podoba, to tak już jest.",
}


@pytest.mark.parametrize(("language", "other"), list(permutations(SENTENCES, 2)))
def test_another_language_is_known_by_its_words(language: str, other: str) -> None:
    assert other_language(SENTENCES[other], language) == other


@pytest.mark.parametrize("language", ["en", "es", "fr", "sv"])
def test_no_bundled_sentence_is_of_another_language(language: str) -> None:
    assert [text for text in sentence_list(language) if other_language(text, language)] == []


def test_other_letters_are_named() -> None:
    assert other_language("Быстрая лиса прыгает через собаку.", "en-us") == "Cyrillic"


@pytest.mark.parametrize(("text", "language"), [("Hej!", "en"), ("", "en"), ("123.", "en"), (SENTENCES["sv"], "ru")])
def test_nothing_is_said_of_short_texts_and_languages_without_a_table(text: str, language: str) -> None:
    assert other_language(text, language) == ""


def test_each_language_has_words_and_directions() -> None:
    assert all(len(row["function"].split()) >= 30 and row["directions"].split() for row in language_words().values())


@pytest.mark.parametrize(
    ("text", "language"), [("La la la la la.", "de"), ("Die, die, die!", "en"), ("Da da da, de de de!", "en")]
)
def test_words_that_are_said_again_and_again_are_no_language(text: str, language: str) -> None:
    assert other_language(text, language) == ""
