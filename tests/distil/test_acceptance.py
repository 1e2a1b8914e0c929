"""The same speech passes; what is out of tune, hoarse, longer, noisy or not understood fails, each at its gate."""

import numpy as np
import pytest

from tests.audio.test_pitch import voice
from voxmatrix.audio.waves import Samples
from voxmatrix.distil.acceptance import Gate, Pair, check_acceptance, check_words, edits, failed, spoken_words

RATE_HZ = 22050


def speech(hz: float = 130.0) -> Samples:
    """Two tones with a pause between them and after them."""
    pause = 1e-3 * np.random.default_rng(0).normal(size=RATE_HZ // 2).astype(np.float32)
    return np.concatenate([voice(hz), pause, voice(hz * 1.2), pause])


def failing(fast: Samples) -> set[str]:
    return {gate.name for gate in failed(check_acceptance([Pair("one two", speech(), fast)], RATE_HZ, 32))}


def test_the_same_speech_passes() -> None:
    assert failing(speech()) == set()
    assert failing(speech() + 1e-5 * np.random.default_rng(1).normal(size=len(speech())).astype(np.float32)) == set()


def test_speech_out_of_tune_fails() -> None:
    assert "voiced frames within 50 cents" in failing(speech(135.0))


def test_hoarse_speech_fails() -> None:
    noise = 0.3 * np.random.default_rng(1).normal(size=len(speech())).astype(np.float32)
    assert "loss of harmonicity" in failing(speech() + noise * (np.abs(speech()) > 0.01))


def test_whispered_speech_fails() -> None:
    noise = 0.3 * np.random.default_rng(1).normal(size=len(speech())).astype(np.float32)
    middle = np.arange(len(speech())) < RATE_HZ // 4
    assert "voiced frames within 50 cents" in failing(np.where(middle, noise, speech()))


def test_longer_speech_fails() -> None:
    assert "largest difference in length, in samples" in failing(np.concatenate([speech(), np.zeros(256, np.float32)]))


def test_noise_in_pauses_fails() -> None:
    noise = 1e-2 * np.random.default_rng(1).normal(size=len(speech())).astype(np.float32)
    assert "silence louder, in dB" in failing(speech() + noise)


def test_a_buzz_at_the_rate_of_the_spectra_fails() -> None:
    buzz = np.where(np.arange(len(speech())) % 32, 0, 0.05).astype(np.float32)
    assert "lines at every 32 samples more prominent, in dB" in failing(speech() + buzz)


def test_words_that_are_not_understood_fail() -> None:
    original = speech()

    def recognise(samples: Samples, rate_hz: int) -> str:
        return "One, two!" if samples is not None and np.array_equal(samples, original) else "one"

    def added(*fast: Samples) -> Gate:
        pairs = [Pair("one two", original, one) for one in fast]
        return check_words(pairs, RATE_HZ, recognise, lambda done, total: None)

    quieter = speech() * np.float32(0.99)
    assert added(original).ok
    assert not added(quieter).ok
    assert added(original, original, quieter).value == pytest.approx(1 / 6)


def test_silence_fails_instead_of_raising() -> None:
    silence = np.zeros(RATE_HZ, np.float32)
    gates = check_acceptance([Pair("", silence, silence)], RATE_HZ, 32)
    assert "voiced frames" in {gate.name for gate in failed(gates)}


@pytest.mark.parametrize(
    ("expected", "heard", "number"),
    [("a b c", "a b c", 0), ("a b c", "", 3), ("", "a", 1), ("a b c", "a x c", 1), ("a b c", "b c d", 2)],
)
def test_edits_are_the_least_number_of_changes(expected: str, heard: str, number: int) -> None:
    assert edits(expected.split(), heard.split()) == number


def test_words_have_no_punctuation() -> None:
    assert spoken_words("Don't — stop, Åsa! 3") == ["don't", "stop", "åsa"]
