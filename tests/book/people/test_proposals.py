import numpy as np
import pytest

from voxmatrix.book.people.cast import Line
from voxmatrix.book.people.clues import NARRATOR
from voxmatrix.book.people.corrections import Place
from voxmatrix.book.people.found import FoundPerson
from voxmatrix.book.people.proposals import propose, propose_missing
from voxmatrix.book.people.sounds import VoiceSound, sound_of
from voxmatrix.voices.cast_table import CastPerson, CastTable


def voice(name: str, sex: str, hz: float) -> VoiceSound:
    return VoiceSound(name, sex, hz, 12.0, 15.0)


def person(name: str, sex: str, speeches: int) -> FoundPerson:
    return FoundPerson(name=name, also=(), sex=sex, evidence="", speeches=speeches, sure=speeches)


def lines(*who: str) -> list[Line]:
    return [Line(Place(0, number), one, "", "", sure=True, sex_sure=True) for number, one in enumerate(who)]


VOICES = [voice("teller", "f", 200), voice("low", "m", 90), voice("mid", "m", 110), voice("high", "m", 140)]


def test_people_have_voices_of_their_sex_unlike_those_they_talk_with() -> None:
    people = [person("Bo", "m", 20), person("Cy", "m", 20), person("Anna", "f", 20), person("Di", "m", 1)]
    found = propose(people, lines(*["Bo", "Cy"] * 20, *["Anna"] * 20, "Di"), [*VOICES, voice("x", "m", 120)], "teller")
    assert set(found.voices) == {"Bo", "Cy"}
    assert found.of_sex == {"m": "x"}
    assert "teller" not in found.voices.values()
    assert abs(np.log2(_hz(found.voices["Bo"]) / _hz(found.voices["Cy"]))) > 0.3


def _hz(name: str) -> float:
    return next(one.pitch_hz for one in VOICES if one.name == name)


def test_what_a_table_has_given_away_is_given_to_nobody_else() -> None:
    bo = CastPerson(name="Bo", sex="m", voice="mid")
    table = CastTable(people=(bo,), by_name={"bo": bo}, dialogue_male="high")
    people = [person("Bo", "m", 20), person("Cy", "m", 20), person(NARRATOR, "", 20)]
    found = propose_missing(
        people, lines(*["Bo", "Cy"] * 20), [*VOICES, voice("x", "f", 210), voice("y", "f", 220)], "teller", table
    )
    assert (found.voices, found.of_sex) == ({"Cy": "low"}, {"f": "y"})


def test_without_voices_nobody_has_one() -> None:
    found = propose([person("Bo", "m", 20)], lines("Bo"), [], "")
    assert (found.voices, found.of_sex) == ({}, {})


def test_the_sound_of_a_tone() -> None:
    rate = 16000
    time = np.arange(rate) / rate
    wave = sum(np.sin(2 * np.pi * 120 * k * time) / k for k in range(1, 20)).astype(np.float32)
    hz, tilt, characters = sound_of(wave, rate, 15)
    assert hz == pytest.approx(120, rel=0.02)
    assert tilt > 10
    assert characters == 15
