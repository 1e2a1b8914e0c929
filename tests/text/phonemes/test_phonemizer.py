import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxmatrix.errors import UsageError
from voxmatrix.text.normalisation.normalise import normalise
from voxmatrix.text.phonemes.phonemizer import EspeakPhonemizer, TextPhonemizer, phonemizer
from voxmatrix.text.symbols import default_map, to_ids

HERE = Path(__file__).parents[1]


def piper_phonemes(voice: str, text: str) -> list[str]:
    from piper.phonemize_espeak import EspeakPhonemizer as PiperPhonemizer

    return [phoneme for sentence in PiperPhonemizer().phonemize(voice, text) for phoneme in sentence]


def library_clauses(voice: str, texts: list[str]) -> list[list[str]]:
    """What the system's libespeak-ng says, which is of the same version as the program."""
    question = json.dumps({"voice": voice, "texts": texts})
    command = [sys.executable, str(HERE / "espeak_library.py")]
    answer = subprocess.run(command, input=question, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        pytest.skip(f"no library of the installed espeak-ng: {answer.stderr[-200:]}")
    return json.loads(answer.stdout)


def without_marks(spoken: list[str]) -> str:
    """Phonemes alone: no language flags, punctuation or spaces."""
    said = unicodedata.normalize("NFD", re.sub(r"\([^)]+\)", "", "".join(spoken)))
    return "".join(phoneme for phoneme in said if phoneme not in " ,.;:!?")


@pytest.fixture
def pipers_version(program) -> None:
    program((HERE / "piper_program.py").read_text(encoding="utf-8"))


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_version")
def test_two_hundred_sentences_have_pipers_phonemes_and_ids_on_the_same_version_of_espeak(voice, texts):
    from piper.phoneme_ids import phonemes_to_ids

    assert len(texts) == 100
    with EspeakPhonemizer(voice) as ours:
        for text in texts:
            said = normalise(text, voice)
            piper = piper_phonemes(voice, said)
            assert ours.phonemes(said) == piper, said
            assert to_ids(piper, default_map("espeak"))[0] == phonemes_to_ids(piper), said


@pytest.mark.peers
@pytest.mark.usefixtures("pipers_version")
@pytest.mark.parametrize("language", ["en-us", "sv", "de", "fr"])
def test_odd_punctuation_is_read_as_piper_reads_it(language):
    texts = [
        "Hello (you) there - a dash — em… end",
        "It's 5:30, 1,000.5 a.b.c. it. It",
        "wait... what?! no!!! Ok",
        "He said: 'no.' And \"left.\" She. 'single'",
        "J. K. Rowling, U.S.A. today; the end.",
        "one,. two., three!, four?. five:; six",
        "«Oui.» he said (maybe.) [Then] <gone>.",
        "Ludwig XIV. Kaiser. Am 3. Mai.",
        "你好。 bonjour, Привет! مرحبا؟ ok",
        "no space,here.there;or:here",
    ]
    with EspeakPhonemizer(language) as ours:
        for text in texts:
            assert ours.phonemes(text) == piper_phonemes(language, text), text


@pytest.mark.espeak
def test_what_differs_from_piper_with_the_installed_program_is_its_version(voice, texts):
    """We say what the library of the program's own version says, clause by clause: all we add is the marks."""
    said = [normalise(text, voice) for text in texts]
    with EspeakPhonemizer(voice) as ours:
        for text, spoken in zip(said, library_clauses(voice, said), strict=True):
            assert without_marks(ours.phonemes(text)) == without_marks(spoken), text


@pytest.mark.espeak
def test_a_clause_without_stress_gets_none_from_the_intonation_of_the_program():
    texts = [
        "Sir,",
        "The.",
        "one!",
        "in?",
        "What tray.",
        "to,",
        "What time is it?",
        "the and is?",
        "Were.",
        "I, you, they.",
    ]
    with EspeakPhonemizer("en-us") as ours:
        for text, spoken in zip(texts, library_clauses("en-us", texts), strict=True):
            assert without_marks(ours.phonemes(text)) == without_marks(spoken), text


@pytest.mark.espeak
def test_a_syllable_without_a_tone_gets_none_either():
    texts = ["Xin chào. Tôi là người Việt Nam, bạn khỏe không?", "Cảm ơn."]
    with EspeakPhonemizer("vi") as ours:
        for text, spoken in zip(texts, library_clauses("vi", texts), strict=True):
            assert without_marks(ours.phonemes(text)) == without_marks(spoken), text


@pytest.mark.espeak
def test_punctuation_stays_and_language_flags_go():
    with EspeakPhonemizer("sv") as ours:
        said = "".join(ours.phonemes("Hej, computer! Hur: mår; du?"))
    assert "(" not in said
    assert [character for character in said if character in ",.;:!?"] == [",", "!", ":", ";", "?"]
    assert ", " in said and ": " in said and "; " in said and "! " not in said


@pytest.mark.espeak
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "\x00\x01\x02",
        "\x01Vsv ",
        "[[h@'loU]]",
        "]]",
        "<voice name='x'>",
        "-v sv",
        "--help",
        "\ud800",
        "\ue000",
    ],
)
def test_hostile_text_changes_nothing_for_the_next_sentence(text):
    with EspeakPhonemizer("en-us") as ours:
        expected = ours.phonemes("A plain sentence.")
        ours.phonemes(text)
        assert ours.phonemes("A plain sentence.") == expected


@pytest.mark.espeak
def test_orders_to_espeak_inside_a_text_are_only_text():
    with EspeakPhonemizer("en-us") as ours:
        assert ours.phonemes("cat[[dog]]\x01Vde cow") == ours.phonemes("cat((dog)) Vde cow")
        assert ours.phonemes("one\ntwo\rthree") == ours.phonemes("one two three")


@pytest.mark.espeak
def test_a_text_far_longer_than_a_line_is_read_whole():
    with EspeakPhonemizer("en-us") as ours:
        once = "".join(ours.phonemes("the quick brown fox, "))
        assert "".join(ours.phonemes("the quick brown fox, " * 500)).count(once.strip(" ,")) >= 490
        assert len(ours.phonemes("supercalifragilistic" * 500)) > 1000
        assert len(ours.phonemes("ö日" * 2000)) > 2000


@pytest.mark.espeak
def test_any_text_at_all_keeps_questions_and_answers_together():
    with EspeakPhonemizer("en-us") as ours:
        expected = ours.phonemes("Still in step, is it not?")

        @settings(max_examples=150, deadline=None)
        @given(st.text(max_size=200))
        def check(text: str) -> None:
            ours.phonemes(text)
            assert ours.phonemes("Still in step, is it not?") == expected

        check()


@pytest.mark.espeak
def test_two_phonemizers_do_not_disturb_each_other():
    with EspeakPhonemizer("en-us") as english, EspeakPhonemizer("sv") as swedish:
        first = english.phonemes("Hello, world."), swedish.phonemes("Hej, världen.")
        for _ in range(20):
            assert (english.phonemes("Hello, world."), swedish.phonemes("Hej, världen.")) == first


def test_without_espeak_letters_are_small_and_accents_apart():
    assert TextPhonemizer().phonemes("Åh, É_^$!") == ["a", "\u030a", "h", ",", " ", "e", "\u0301", "!"]


def test_a_phonemizer_is_made_by_its_type():
    assert isinstance(phonemizer("text", "en-us"), TextPhonemizer)
    with pytest.raises(UsageError, match="'tones'"):
        phonemizer("tones", "en-us")
