"""Words as they are written find their sounds, however they are read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.front import FrontEnd
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer, TextPhonemizer
from voxmatrix.text.spoken import spoken_sentences
from voxmatrix.text.words import heard_words, tokens


def heard(text: str, phonemizer: EspeakPhonemizer | TextPhonemizer, language: str = "en-us") -> list[tuple[str, str]]:
    """Each word of a sentence with its phonemes."""
    (spoken,) = spoken_sentences(text, language)
    with FrontEnd(phonemizer, lambda phonemes: (list(range(len(phonemes))), set())) as front:
        sentence = front.sentence(spoken)
        words = front.words(spoken, sentence, language)
        return [(word.text, "".join(sentence.phonemes[word.start : word.end])) for word in words]


@pytest.mark.espeak
def test_numbers_and_abbreviations_are_heard_as_they_are_read() -> None:
    text = "In 1998, Dr. Smith paid $5.20 for 5 km — a 3rd of the [[bˈæt mæn]] well-known."
    said = dict(heard(text, EspeakPhonemizer("en-us")))
    assert list(said) == [
        "In", "1998,", "Dr.", "Smith", "paid", "$5.20", "for", "5", "km —", "a", "3rd", "of", "the", "[[bˈæt mæn]]",
        "well-known.",
    ]  # fmt: skip
    assert said["1998,"] == "nˈaɪntiːn nˈaɪntiˈeɪt"
    assert said["Dr."].startswith("dˈɑːkt")
    assert "dˈɑːlɚz" in said["$5.20"] and said["$5.20"].endswith("sˈɛnts")
    assert said["[[bˈæt mæn]]"] == "bˈæt mæn"


@pytest.mark.espeak
@pytest.mark.parametrize("text", ["It is one of the first.", "He paid for a third of it.", "I am in a hurry."])
def test_words_that_espeak_joins_have_their_own_phonemes(text: str) -> None:
    said = heard(text, EspeakPhonemizer("en-us"))
    assert all(phonemes for _, phonemes in said)
    assert [word for word, _ in said] == text.split()


@pytest.mark.espeak
def test_words_of_two_readings_are_heard_as_they_are_said() -> None:
    text = "She wound the clock, and he has read every minute detail of the 2 close races."
    said = heard(text, EspeakPhonemizer("en-us"))
    assert [word for word, _ in said] == text.split()
    assert dict(said)["wound"] == "wˈaʊnd" and dict(said)["read"] == "ɹˈɛd" and dict(said)["minute"] == "maɪnˈuːt"
    assert dict(said)["detail"].startswith("d")


@pytest.mark.espeak
def test_a_language_without_rules_of_its_own() -> None:
    said = dict(heard("Sie hat 21 Katzen.", EspeakPhonemizer("de"), "de"))
    assert list(said) == ["Sie", "hat", "21", "Katzen."]
    assert len(said["21"]) > 8


words = st.lists(st.from_regex(r"[a-zäöü]{1,9}[,;]?", fullmatch=True), min_size=1, max_size=12)


@given(words)
def test_letters_are_those_of_their_words(given: list[str]) -> None:
    text = " ".join(given)
    sentence = TextPhonemizer().phonemes([text])[0]
    found = heard_words(text, text, sentence, "de", TextPhonemizer().phonemes)
    assert [word.text for word in found] == given
    for word in found:
        heard = "".join(sentence[word.start : word.end])
        assert heard == "".join(TextPhonemizer().phonemes([re.sub("[,;]", "", word.text)])[0])


@given(
    st.text(alphabet="ab1. -$%[]\n", max_size=40), st.text(alphabet="ab .", max_size=40), st.text("ab ,", max_size=40)
)
def test_whatever_differs_words_go_forward_within_their_sentence(source: str, spoken: str, phonemes: str) -> None:
    found = heard_words(source, spoken, list(phonemes), "en-us", TextPhonemizer().phonemes)
    assert [word.text for word in found] == tokens(source)
    edges = [place for word in found for place in (word.start, word.end)]
    assert edges == sorted(edges) and all(0 <= edge <= len(phonemes) for edge in edges)


def test_marks_alone_belong_to_the_word_before_them() -> None:
    assert tokens("Well — she said … no. *") == ["Well —", "she", "said …", "no. *"]
