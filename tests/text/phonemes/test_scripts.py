"""Words in the script of another language are read by its voice, and what nobody reads is named."""

import sys
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.text.front import front_end
from voxmatrix.text.phonemes.espeak import Espeak
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer
from voxmatrix.text.phonemes.scripts import Part, parts
from voxmatrix.text.spoken import SpokenText
from voxmatrix.text.symbols import default_map

WORDS = {
    "am": "አማርኛ",
    "cmn": "北京",
    "el": "λόγος",
    "he": "שלום",
    "hy": "Երևան",
    "ja": "トヨタ",
    "or": "ଓଡ଼ିଆ",
    "ru": "Москва",
    "te": "తెలుగు",
    "th": "ไทย",
}
#: What English says of a letter that it does not know.
NAMES = ("lˌɛɾɚ", "lˈɛɾɚ", "tʃˈaɪniːz", "dʒˈæpəniːz", "hˈiːbɹuː", "sɪɹˈɪlɪk", "ɑːɹmˈiːniən", "iːθɪˈɑːpɪk")


def spoken(phonemizer: EspeakPhonemizer, text: str) -> str:
    return "".join(phonemizer.phonemes([text])[0])


@pytest.mark.espeak
@pytest.mark.parametrize("language", ["en-us", "sv", "de", "fr-fr", "hi"])
def test_a_word_in_another_script_is_read_by_its_voice_in_the_middle_of_a_sentence(language: str) -> None:
    with EspeakPhonemizer(language) as phonemizer:
        for voice, word in WORDS.items():
            with EspeakPhonemizer(voice) as own:
                alone = spoken(own, word).translate(str.maketrans("", "", "0123456789ɜ."))
            assert spoken(phonemizer, f"A {word}, (“{word}”) o.").count(alone) == 2, word


@pytest.mark.espeak
def test_marks_and_spaces_around_it_are_kept() -> None:
    with EspeakPhonemizer("en-us") as phonemizer:
        assert spoken(phonemizer, "Is it “Москва”, or 北京?") == "ɪz ɪt mʌskvˈɑ, ɔːɹ pˈei tɕˈiŋ?"
        assert spoken(phonemizer, "Москва.") == "mʌskvˈɑ."
        assert spoken(phonemizer, "In 1999 году!") == spoken(phonemizer, "In 1999") + " ɡˈodu!"
        assert spoken(phonemizer, "[[həloʊ]] Москва [[həloʊ]].") == "həloʊ mʌskvˈɑ həloʊ"


@pytest.mark.espeak
def test_greek_letters_are_named_and_greek_words_are_read() -> None:
    with EspeakPhonemizer("en-us") as phonemizer, Espeak("en-us") as raw:
        for letters in ("α", "π", "Δt", "β-carotene"):
            assert spoken(phonemizer, letters) == raw.ask([letters])[0][0][0]
        assert spoken(phonemizer, "λόγος") == "lˈoɣos"


@pytest.mark.espeak
@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("ru", "Москва и London."),
        ("uk", "Київ."),
        ("sr", "Београд."),
        ("he", "שלום."),
        ("cmn", "北京很大。"),
        ("th", "ไทย"),
        ("de", "Das ist 서울 und नमस्ते."),
        ("el", "Αθήνα."),
        ("am", "አማርኛ"),
    ],
)
def test_what_a_voice_reads_itself_is_left_to_it(language: str, sentence: str) -> None:
    assert parts(sentence, language) == [Part("", sentence)]


@pytest.mark.espeak
def test_no_letters_of_any_script_are_dropped_or_said_by_their_number() -> None:
    """Three letters of each script in Unicode: they are read, or named as what the voice has no symbol for."""
    with front_end("en-us", "espeak", default_map("espeak")) as front, EspeakPhonemizer("en-us") as phonemizer:
        for script, letters in (three_of_each_script() | {"ARABIC": "سلم"}).items():
            found = "".join(phonemizer.phonemes([f"A {letters}."])[0])
            assert found.endswith("."), script
            read = found.removeprefix("ɐ").strip(" .")
            assert read, script
            assert not [name for name in NAMES if name in read], (script, letters, read)
            if read == letters:
                assert letters in front.sentence(SpokenText(f"A {letters}.", 0)).unknown


def three_of_each_script() -> dict[str, str]:
    found: dict[str, str] = {}
    for code in range(0x370, sys.maxunicode + 1):
        character = chr(code)
        script = unicodedata.name(character, "UNNAMED").partition(" ")[0]
        if unicodedata.category(character) == "Lo" and script != "LATIN":
            found[script] = (found.get(script, "") + character)[:3]
    return found


@given(st.text(), st.sampled_from(["en-us", "ru", "ja", "ar", "de"]))
def test_parts_are_the_sentence(sentence: str, voice: str) -> None:
    found = parts(sentence, voice)
    assert "".join(part.text for part in found) == sentence
    assert all(one.voice != other.voice for one, other in pairwise(found))


@given(st.text(st.characters(max_codepoint=0x36F)), st.sampled_from(["en-us", "ru"]))
def test_latin_text_is_one_part(sentence: str, voice: str) -> None:
    assert parts(sentence, voice) == [Part("", sentence)]
