import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dataset.broken import speech
from tests.examples import examples
from voxmatrix.audio.loudness import CEILING_DBFS, MAX_GAIN_DB, Leveller, frame_powers, limit, speech_level_dbfs

RATE_HZ = 22050
CEILING = 10 ** (CEILING_DBFS / 20)


def loudness(samples: np.ndarray) -> float:
    return speech_level_dbfs(samples, RATE_HZ)[0]


@pytest.mark.parametrize("amplitude", [0.03, 0.1, 0.4, 0.9])
def test_speech_of_any_level_comes_to_the_target(amplitude: float) -> None:
    levelled = Leveller(RATE_HZ).level(speech(3.0, RATE_HZ, level=amplitude))
    assert loudness(levelled) == pytest.approx(-20.0, abs=0.3)
    assert levelled.dtype == np.float32


@pytest.mark.parametrize("samples", [0, 440, 441, 63 * 441, 64 * 441 + 1, 65 * 441, 150 * 441 + 440])
def test_the_power_is_that_of_each_whole_frame(samples: int) -> None:
    wave = np.random.default_rng(0).standard_normal(samples, dtype=np.float32)
    frames = wave[: samples // 441 * 441].reshape(-1, 441)
    assert np.array_equal(frame_powers(wave, RATE_HZ), np.square(frames.astype(np.float64)).mean(axis=1))


def test_pauses_do_not_count() -> None:
    short = speech(1.0, RATE_HZ)
    padded = np.concatenate([short, np.zeros(5 * RATE_HZ, np.float32), short])
    assert loudness(padded) == pytest.approx(loudness(short), abs=0.2)


def test_silence_stays_silent() -> None:
    quiet = np.random.default_rng(0).normal(0, 1e-4, RATE_HZ).astype(np.float32)
    assert np.array_equal(Leveller(RATE_HZ).level(quiet), quiet)
    assert len(Leveller(RATE_HZ).level(np.zeros(0, np.float32))) == 0


def test_the_gain_has_an_end() -> None:
    faint = speech(2.0, RATE_HZ, level=0.003)
    assert loudness(Leveller(RATE_HZ).level(faint)) - loudness(faint) == pytest.approx(MAX_GAIN_DB, abs=0.1)


def test_no_peak_passes_the_ceiling_and_what_is_lower_is_left_alone() -> None:
    samples = speech(2.0, RATE_HZ, level=0.3)
    assert limit(samples, RATE_HZ) is samples
    samples[RATE_HZ] = -3.0
    limited = limit(samples, RATE_HZ)
    assert np.abs(limited).max() <= CEILING
    far = np.abs(np.arange(len(samples)) - RATE_HZ) > RATE_HZ // 100
    assert np.allclose(limited[far], samples[far])


@settings(max_examples=examples(100))
@given(st.lists(st.floats(-50, 50, width=32), min_size=1, max_size=300), st.integers(1, 30))
def test_whatever_comes_in_never_clips(values: list[float], times: int) -> None:
    samples = np.repeat(np.array(values, np.float32), times)
    for out in (limit(samples, 8000), Leveller(8000).level(samples)):
        assert len(out) == len(samples)
        assert np.abs(out).max() <= CEILING + 1e-6
        assert np.isfinite(out).all()


def test_sentences_become_even_one_after_the_other() -> None:
    leveller = Leveller(RATE_HZ)
    for seed, amplitude in enumerate((0.1, 0.5, 0.05, 0.9)):
        assert loudness(leveller.level(speech(2.0, RATE_HZ, seed=seed, level=amplitude))) == pytest.approx(-20, abs=0.5)


def test_a_short_beginning_has_the_gain_of_the_sentences_before_and_the_rest_goes_on_with_it() -> None:
    leveller = Leveller(RATE_HZ, 6.0)
    samples = speech(4.0, RATE_HZ, level=0.5)
    head, rest = samples[: RATE_HZ // 5], samples[RATE_HZ // 5 :]
    assert loudness(leveller.level(head, whole=False)) - loudness(head) == pytest.approx(6, abs=2.5)
    before = leveller.gain_db
    gain_db = loudness(leveller.level(rest, begins=False, whole=False)) - loudness(rest)
    assert gain_db == pytest.approx(6, abs=2.5)
    assert leveller.gain_db != before  # what follows is as loud as the whole sentence asks for


def test_a_very_short_sentence_takes_the_gain_of_those_before_it() -> None:
    leveller = Leveller(RATE_HZ)
    for seed in range(5):
        leveller.level(speech(2.0, RATE_HZ, seed=seed, level=0.1))
    short = speech(2.0, RATE_HZ, level=0.02)[RATE_HZ : RATE_HZ + RATE_HZ // 25]
    gain_db = loudness(leveller.level(short)) - loudness(short)
    assert gain_db < -20 - loudness(short) - 3
