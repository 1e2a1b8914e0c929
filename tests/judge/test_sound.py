"""A sentence that cannot be all of its text is found among others, whatever the voice."""

import numpy as np
import pytest

from voxmatrix.judge.hearing import word_errors
from voxmatrix.judge.sound import improbable, measure, suspected_failures

RATE_HZ = 16_000
RANDOM = np.random.default_rng(1)


def speech(seconds: float, amplitude: float = 0.1) -> np.ndarray:
    return (amplitude * RANDOM.standard_normal(round(seconds * RATE_HZ))).astype(np.float32)


def silence(seconds: float) -> np.ndarray:
    return np.zeros(round(seconds * RATE_HZ), np.float32)


#: Sentences of ten to sixty characters at 15 characters per second, a little faster or slower.
USUAL = [
    (count, speech((count + 8) / 15 * pace))
    for count, pace in zip(range(10, 60, 5), [0.7, 1, 1.3, 1, 0.9] * 2, strict=True)
]


@pytest.mark.parametrize(
    ("samples", "problem"),
    [
        (silence(3), "silent"),
        (silence(0), "silent"),
        (speech(0.6), "times as long"),
        (speech(12), "times as long"),
        (speech(3.2, 0.005), "quieter"),
        (np.concatenate([speech(1.5), silence(2.5), speech(1.5)]), "pause of 2.5 s"),
    ],
)
def test_what_is_damaged_is_named_and_nothing_else(samples: np.ndarray, problem: str) -> None:
    sentences = [*USUAL[:4], (40, samples), *USUAL[4:]]
    found = suspected_failures([measure(sound, RATE_HZ) for _, sound in sentences], [count for count, _ in sentences])
    assert problem in found[4]
    assert not any(found[:4] + found[5:])


def test_ordinary_speech_has_no_doubts() -> None:
    assert not any(suspected_failures([measure(sound, RATE_HZ) for _, sound in USUAL], [count for count, _ in USUAL]))
    assert suspected_failures([], []) == []


@pytest.mark.parametrize(
    ("text", "heard", "errors"),
    [
        ("It was in 1998, wasn't it?", "it was in nineteen ninety-eight wasn't it", (0, 8)),
        ("She paid $5.", "She paid 5 dollars.", (0, 4)),
        ("One two three four.", "One three four five six.", (3, 4)),
        ("One two.", "", (2, 2)),
        ("", "Hello.", (1, 0)),
    ],
)
def test_words_are_compared_as_they_are_read(text: str, heard: str, errors: tuple[int, int]) -> None:
    assert word_errors(text, heard, "en-us") == errors


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Two", 0.3),
        ("Two", 2.0),
        ("A.", 0.1),
        ("The boat came early.", 1.3),
        ("你好，今天天气怎么样？", 1.8),
        ("こんにちは、おげんきですか。", 1.6),
        ("안녕하세요, 오늘 어떻게 지내세요?", 2.4),
        ("नमस्ते, आप कैसे हैं आज?", 1.6),
        ("שלום, מה שלומך היום?", 1.3),
        ("1,234,567,890", 7.0),  # if the voice reads it in words
        ("www.example.com/a?b=c", 6.0),
        ("[[həˈloʊ]]", 0.2),
        ("!?", 0.1),
        ("Nooooooooooooooooooo!", 0.3),
        ("مرحبا", 5.0),  # by their names, if the voice is of another language
    ],
)
def test_speech_at_a_usual_pace_is_probable_in_every_script(text: str, seconds: float) -> None:
    assert improbable(text, measure(speech(seconds), RATE_HZ)) == ""


@pytest.mark.parametrize(
    ("text", "seconds", "problem"),
    [
        ("Hello there.", 0.02, "too short"),
        ("Two", 0.02, "too short"),
        ("Two", 40.0, "too long"),
        ("Hello there.", 40.0, "too long"),
        ("The boat came early, and nobody saw it.", 0.4, "too short"),
        ("你好，今天天气怎么样？", 0.2, "too short"),
        ("你好", 30.0, "too long"),
    ],
)
def test_bounds_need_no_other_sentence(text: str, seconds: float, problem: str) -> None:
    assert problem in improbable(text, measure(speech(seconds), RATE_HZ))


def test_silence_and_a_long_gap_are_improbable() -> None:
    assert improbable("Hello there.", measure(silence(1.0), RATE_HZ)) == "it is silent"
    cut_off = np.concatenate([speech(1.0), silence(30.0), speech(0.1)])
    assert "too long" in improbable("Hello there.", measure(cut_off, RATE_HZ))


@pytest.mark.parametrize(("speed", "seconds"), [(4.0, 0.35), (0.25, 5.5)])
def test_bounds_follow_the_speed(speed: float, seconds: float) -> None:
    facts = measure(speech(seconds), RATE_HZ)
    text = "The boat came early." if speed > 1 else "No."
    assert improbable(text, facts, speed) == "" != improbable(text, facts)
