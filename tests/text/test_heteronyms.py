"""English words of two readings: which one is said, and how it sounds."""

import csv
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text import heteronyms
from voxmatrix.text.heteronyms import say_heteronyms
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer

with (Path(__file__).parent / "data" / "heteronyms.tsv").open(encoding="utf-8", newline="") as opened:
    SENTENCES = list(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
TABLE = tomllib.loads(Path(heteronyms.__file__).with_name("heteronyms.toml").read_text(encoding="utf-8"))
#: Also how sounds are written that differ by speaker.
_SAME = str.maketrans({"ᵻ": "ɪ", "ɐ": "ə", "ŋ": "n", "ˌ": None})


@pytest.mark.parametrize(("sentence", "word", "said", "_sounds"), SENTENCES)
def test_a_word_is_said_as_its_context_asks(sentence: str, word: str, said: str, _sounds: str) -> None:
    spoken = say_heteronyms(sentence, "en-gb")
    assert re.search(rf"(?<!\w){said}(?!\w)", spoken), spoken
    assert said == word or not re.search(rf"(?<!\w){word}(?!\w)", spoken), spoken


@pytest.mark.espeak
def test_it_sounds_as_the_reading_does() -> None:
    with EspeakPhonemizer("en-us") as espeak:
        heard = ["".join(one) for one in espeak.phonemes([say_heteronyms(row[0], "en-us") for row in SENTENCES])]
    wrong = [
        (sentence, found)
        for (sentence, _, _, sounds), found in zip(SENTENCES, heard, strict=True)
        if _plain(sounds, sounds) not in _plain(found, sounds)
    ]
    assert wrong == []


def _plain(phonemes: str, sounds: str) -> str:
    """The sounds; with the stress only where it parts the readings."""
    return phonemes.translate(_SAME) if "ˈ" in sounds else phonemes.translate(_SAME).replace("ˈ", "")


@pytest.mark.parametrize("text", ["I red it.", "Hon bad mig read.", "A live-in nurse", "re-use", "used's", ""])
def test_what_has_none_of_the_words_stays(text: str) -> None:
    assert say_heteronyms(text, "en-us") == text


@pytest.mark.parametrize("language", ["sv", "de", "eng", "pt-br"])
def test_other_languages_stay(language: str) -> None:
    assert say_heteronyms("I have read it.", language) == "I have read it."


@pytest.mark.parametrize(
    ("written", "said"),
    [("Close the door.", "Cloze the door."), ("I'VE READ IT", "I'VE RED IT"), ("Has Bo READ it", "Has Bo RED it")],
)
def test_capitals_stay_capitals(written: str, said: str) -> None:
    assert say_heteronyms(written, "en") == said


def test_every_context_of_the_table_is_an_expression_around_the_word() -> None:
    for word, readings in TABLE["words"].items():
        for said, contexts in readings.items():
            rows = [row for one in contexts for row in (TABLE["parts"][one[1:]] if one.startswith("@") else [one])]
            assert rows and all(re.search(r"(?:^| )_(?: |$)", row) for row in rows), word
            assert len(said.split()) == 1, word  # one word in captions
    for word in TABLE["words"]:
        for text in (f"I {word} it.", f"The {word} of it."):
            assert say_heteronyms(text, "en-us")


@given(
    st.lists(
        st.sampled_from(["read", "live", "the", "to", "I", "close", ".", "was", "wind", "up", "[[ə]]"]), max_size=9
    )
)
def test_the_number_of_words_never_changes(words: list[str]) -> None:
    assert len(say_heteronyms(" ".join(words), "en").split()) == len(words)
