"""Speech that cannot be that of its text is told, in few lines, and changes nothing else."""

import numpy as np
import pytest

from voxmatrix.models.family import Utterance
from voxmatrix.models.style import Style
from voxmatrix.speak.improbable import ImprobableSpeech, findings, without_words
from voxmatrix.speak.synthesize import SpokenSentence
from voxmatrix.text.spoken import SpokenText

RATE_HZ = 16_000


def spoken(
    text: str, seconds: float, *, volume: float = 1.0, rate: float = 1.0, parts: int = 1
) -> list[SpokenSentence]:
    noise = np.random.default_rng(0).standard_normal(round(seconds * RATE_HZ)) * 0.1 * volume
    utterance = Utterance(segments=[lambda: np.zeros(0, np.float32)])
    return [
        SpokenSentence(
            text=SpokenText(text, text, rate=rate),
            utterance=utterance,
            samples=part.astype(np.float32),
            rate_hz=RATE_HZ,
            begins=number == 0,
        )
        for number, part in enumerate(np.array_split(noise, parts))
    ]


def told(*sentences: list[SpokenSentence], style: Style = Style()) -> list[str]:  # noqa: B008
    speech = ImprobableSpeech(style)
    for part in (part for sentence in sentences for part in sentence):
        speech.add(part)
    return [one.problem for one in findings(speech.sentences())]


def test_each_sentence_is_judged_as_a_whole() -> None:
    assert told(spoken("Hello there.", 1.0, parts=30), spoken("And again.", 0.8)) == []
    assert told(spoken("Two", 40.0, parts=3), spoken("Hello there.", 1.0)) == [
        "'Two': it lasts 40.0 s, too long for its text"
    ]


def test_a_voice_that_says_everything_wrong_is_told_in_four_lines() -> None:
    problems = told(*[spoken(f"Sentence {number}.", 0.02) for number in "abcdefg"])
    assert len(problems) == 4 and problems[-1] == "4 sentences more like these"


@pytest.mark.parametrize("volume", [0.0, 0.001, 10.0])
def test_the_volume_is_no_fault(volume: float) -> None:
    assert told(spoken("Hello there.", 1.0, volume=volume), style=Style(volume=volume)) == []


def test_speed_and_rate_together_move_the_bounds() -> None:
    text = "The boat came early, and nobody saw it."
    assert told(spoken(text, 0.4)) and not told(spoken(text, 0.4, rate=2.0), style=Style(speed=2.0))


def test_what_is_told_without_words_names_no_text() -> None:
    speech = ImprobableSpeech(Style())
    for part in [*spoken("Hello there.", 1.0), *spoken("Secret.", 0.02)]:
        speech.add(part)
    told = without_words(speech.sentences())
    assert told == "sentence 2 of 7 characters: it lasts 0.02 s, too short for its text" and told.isascii()
    assert without_words([]) == ""
