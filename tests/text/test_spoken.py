import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.text.sentences import MAX_CHARACTERS
from voxmatrix.text.spoken import spoken_sentences


def spoken(text: str, language: str) -> list[str]:
    return [sentence.text for sentence in spoken_sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-us", "It was in 1998. 3 left.", ["It was in nineteen ninety-eight.", "three left."]),
        ("en-us", "1. Buy milk 2. Buy tea", ["one. Buy milk", "two. Buy tea"]),
        ("en-us", "An exam-\nple costs $5.\n\nThe end", ["An example costs five dollars.", "The end"]),
        ("en-us", "Wait... 5 men came. 6 left?", ["Wait. five men came.", "six left?"]),
        ("sv", "Han kom kl. 5. 3 dagar senare for han.", ["Han kom klockan fem.", "tre dagar senare for han."]),
        ("de", "„Ja.“ Sie kamen. Wann?", ['"Ja."', "Sie kamen.", "Wann?"]),
        ("en-us", "* * *\n____", []),
    ],
)
def test_a_text_is_split_before_its_numbers_are_read(language, text, expected):
    assert spoken(text, language) == expected


def test_no_sentence_is_too_long_after_its_numbers_are_read():
    pieces = spoken("987,654,321 " * 30 + "men.", "en-us")
    assert max(map(len, pieces)) <= MAX_CHARACTERS < sum(map(len, pieces))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is [[5 ˈə. B]] for $5. [[x]] y", ["It is [[5 ˈə. B]] for five dollars.", "[[x]] y"]),
        ("[[a]][[b]] <[[c]]>", ["[[a]][[b]] [[c]]"]),
        ("a [[ b\nc ]] \U000f0000", ["a b c"]),
    ],
)
def test_phonemes_in_a_text_are_neither_split_nor_normalised(text, expected):
    assert spoken(text, "en-us") == expected


@settings(max_examples=examples(200))
@given(
    st.lists(st.one_of(st.text(max_size=8), st.text("aˈ.5 ", max_size=5).map(lambda text: f"[[{text}]]")), max_size=9)
)
def test_the_phonemes_of_any_text_stay_in_their_order(pieces):
    text = " ".join(pieces).replace("www", "").replace("//", "")
    found = re.findall(r"\[\[.*?\]\]", " ".join(spoken(text, "sv")))
    wanted = iter(re.findall(r"\[\[.*?\]\]", text))
    assert all(block in wanted for block in found)


@pytest.mark.parametrize("unit", ["[[", "[[a]]", "[[a ", "1. ", "a. ", "• ", "a-\n", "AA\nAa\n"])
def test_the_same_thing_over_and_over_is_split_and_read_in_good_time(unit):
    """What would hang here on a pattern that looks back again and again passes at once."""
    spoken(unit * (20_000 // len(unit)), "en-us")


def test_what_is_written_of_a_text_is_given_once_and_with_what_is_read_of_it():
    numbers = "987,654,321 " * 30 + "men came in 1998."
    found = list(spoken_sentences(f"{numbers}  5 left. Всё.", "en-us"))
    assert [sentence.source for sentence in found[-2:]] == ["5 left.", "Всё."]
    assert " ".join(sentence.source for sentence in found[:-2]) == numbers
    assert len(found) > 4
    for sentence in found[:-3]:
        assert abs(sentence.text.count("million") - len(sentence.source.split())) <= 1  # it may end within one


def test_words_of_two_readings_are_respelled_and_captions_keep_them():
    (sentence,) = spoken_sentences("I have read 2 books. ".strip(), "en-us")
    assert sentence == ("I have red two books.", "I have read 2 books.", "", 1.0, 0.0, *sentence[5:])
    for switch in ("normalised", "by_espeak"):
        (sentence,) = spoken_sentences("I have read it.", "en-us", **{switch: False})
        assert sentence.text == sentence.source


def test_phonemes_and_what_say_as_marks_are_not_respelled():
    assert spoken("I have [[read]] and [say-as:phonemes ɹiːd|read] it.", "en-us") == [
        "I have [[read]] and [[ɹiːd]] it."
    ]
