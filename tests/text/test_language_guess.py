"""Texts in another language than they should have."""

from itertools import permutations

import pytest

from voxmatrix.text.language_guess import language_words, likely_language, other_language
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
    assert all(
        len(row["function"].split()) >= 30 and row["directions"].split() and row["everyday"]
        for row in language_words().values()
    )


@pytest.mark.parametrize(
    ("text", "language"), [("La la la la la.", "de"), ("Die, die, die!", "en"), ("Da da da, de de de!", "en")]
)
def test_words_that_are_said_again_and_again_are_no_language(text: str, language: str) -> None:
    assert other_language(text, language) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Buenos días. ¿Cómo está usted hoy?", "es"),
        ("Hola", "es"),
        ("Bonjour, comment allez-vous ?", "fr"),
        ("Guten Tag, wie geht es Ihnen?", "de"),
        ("Hej, hur mår du?", "sv"),
        ("Hello there, how are you?", "en"),
        ("Buongiorno! È una bella giornata.", "it"),
        ("Bom dia! Você está bem?", "pt"),
        ("こんにちは、元気ですか", "ja"),
        ("你好", "zh"),
        ("안녕하세요", "ko"),
        ("Καλημέρα!", "el"),
        *((text, language) for language, text in SENTENCES.items()),
    ],
)
def test_a_short_text_tells_its_language(text: str, language: str) -> None:
    assert likely_language(text) == language


@pytest.mark.parametrize(
    "text",
    ["", "123.", "voxmatrix", "Anna", "Привет, как дела?", "Bună dimineața! Astăzi este o zi frumoasă.", "[[aɪ]]"],
)
def test_nothing_is_said_of_what_could_be_several_languages_or_none(text: str) -> None:
    """Cyrillic letters are those of several; Romanian has no table."""
    assert likely_language(text) == ""


@pytest.mark.parametrize("language", ["en", "es", "fr", "sv"])
def test_no_bundled_sentence_is_likelier_to_be_of_another_language(language: str) -> None:
    sentences = sentence_list(language)
    known = [likely_language(text) for text in sentences]
    assert {language, ""} >= set(known)
    assert known.count(language) > 0.8 * len(sentences)
