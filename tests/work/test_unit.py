"""Keys of units: equal for what sounds the same, different for what does not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from voxmatrix.models.style import Style
from voxmatrix.text.lexicon import Lexicon
from voxmatrix.work.unit import Unit, unit_of

STYLE = Style()


def key(text: str = "Good morning.", voice: str = "v", *, whole: bool = True, **style: Any) -> str:
    return unit_of(text, voice, replace(STYLE, **style), whole=whole).key


def test_a_key_is_always_the_same() -> None:
    assert key() == key() and len(key()) == 64


def test_a_sentence_knows_of_no_pauses_between_sentences() -> None:
    assert key(pause_seconds=3.0) == key()
    assert key(pause_seconds=3.0, whole=False) != key(whole=False)


@pytest.mark.parametrize(
    "other",
    [
        {"text": "Good  morning."},
        {"voice": "w"},
        {"speed": 1.5},
        {"speaker": "bo"},
        {"seed": 1},
        {"levelled": False},
        {"knobs": {"noise": 0.5}},
        {"volume": 0.5},
        {"whole": False},
    ],
)
def test_whatever_changes_the_sound_changes_the_key(other: Any) -> None:
    assert key(**other) != key()


def test_a_changed_pronunciation_changes_only_the_sentences_with_that_word() -> None:
    lexicon = Lexicon((("Canoe", "kanoo"), ("birch", "[[bɜːtʃ]]")))

    assert key("Good morning.", lexicon=lexicon) == key("Good morning.")
    assert key("The canoe.", lexicon=lexicon) != key("The canoe.")
    unit = unit_of("The CANOE.", "v", replace(STYLE, lexicon=lexicon))
    assert unit.style.lexicon == Lexicon((("Canoe", "kanoo"),))


def test_words_of_single_languages_change_keys_only_where_they_are() -> None:
    plain = Lexicon((("canoe", "kanoo"),))
    sections = Lexicon(plain.entries, (("de", (("birch", "[[b]]"),)),))

    assert key("The canoe.", lexicon=sections) == key("The canoe.", lexicon=plain)
    assert key("The birch.", lexicon=sections) != key("The birch.", lexicon=plain)
    unit = unit_of("The birch.", "v", replace(STYLE, lexicon=sections))
    assert unit.style.lexicon == Lexicon((), (("de", (("birch", "[[b]]"),)),))
    assert "sections" not in unit_of("The canoe.", "v", replace(STYLE, lexicon=plain)).options


def test_a_unit_carries_its_style_and_a_sentence_has_a_seed_of_its_own(tmp_path: Path) -> None:
    style = replace(STYLE, speed=1.5, speaker="bo", knobs={"noise": 0.5}, seed=7, pause_seconds=0.0)
    one, other = unit_of("One.", "v", style), unit_of("Two.", "v", style)

    job = Unit(text=one.text, voice=one.voice, options=one.options).job(tmp_path / "out.wav")

    assert job.style == style and job.whole and job.text == "One." and job.output.force
    assert other.style.sentence_seed(other.text) != style.sentence_seed(one.text)
    assert 0 <= (style.sentence_seed(one.text) or -1) < 2**32


def test_without_a_seed_two_workers_speak_the_same() -> None:
    assert unit_of("One.", "v", STYLE).style.seed is not None


def test_text_that_no_file_could_hold_is_still_a_unit() -> None:
    assert unit_of("half \ud83d a pair", "v", STYLE).text == "half ? a pair"
