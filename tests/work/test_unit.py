"""Keys of units: equal for what sounds the same, different for what does not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from voxmatrix.speak.options import SpeakSettings

from voxmatrix.text.lexicon import Lexicon
from voxmatrix.work.unit import Unit, unit_of, voice_digest

SETTINGS = SpeakSettings()


def key(text: str = "Good morning.", voice: str = "v", **settings: Any) -> str:
    return unit_of(text, voice, replace(SETTINGS, **settings)).key


def test_a_key_is_always_the_same() -> None:
    assert key() == key() and len(key()) == 64
    assert key(threads=3, force=True, bitrate="64k", raw=True) == key()


@pytest.mark.parametrize(
    "other",
    [{"text": "Good  morning."}, {"voice": "w"}, {"speed": 1.5}, {"speaker": "bo"}, {"seed": 1}, {"levelled": False}],
)
def test_whatever_changes_the_sound_changes_the_key(other: Any) -> None:
    assert key(**other) != key()


def test_a_changed_pronunciation_changes_only_the_sentences_with_that_word() -> None:
    lexicon = Lexicon((("Canoe", "kanoo"), ("birch", "[[bɜːtʃ]]")))

    assert key("Good morning.", lexicon=lexicon) == key("Good morning.")
    assert key("The canoe.", lexicon=lexicon) != key("The canoe.")
    unit = unit_of("The CANOE.", "v", replace(SETTINGS, lexicon=lexicon))
    assert unit.settings().lexicon == Lexicon((("Canoe", "kanoo"),))


def test_a_unit_carries_its_settings_and_a_seed_of_its_own() -> None:
    settings = replace(SETTINGS, speed=1.5, speaker="bo", noise=0.5, seed=7)
    one, other = unit_of("One.", "v", settings), unit_of("Two.", "v", settings)

    carried = Unit(text=one.text, voice=one.voice, options=one.options).settings(threads=2)

    assert replace(carried, seed=7, threads=0, force=False) == settings
    assert carried.threads == 2 and carried.seed != other.settings().seed and 0 <= (carried.seed or -1) < 2**32


def test_text_that_no_file_could_hold_is_still_a_unit() -> None:
    assert unit_of("half \ud83d a pair", "v", SETTINGS).text == "half ? a pair"


def test_the_checksum_of_a_voice_is_of_both_its_files(tmp_path: Path) -> None:
    voice = tmp_path / "voice.onnx"
    voice.write_bytes(b"one")
    alone = voice_digest(voice)
    (tmp_path / "voice.onnx.json").write_text("{}")
    both = voice_digest(voice)
    voice.write_bytes(b"two")

    assert len({alone, both, voice_digest(voice)}) == 3
