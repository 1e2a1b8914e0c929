import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.dataset.broken import speech
from tests.examples import examples
from voxmatrix.audio.waves import levels_dbfs, speech_span, trim

RATE_HZ = 22050


def padded(before: float, after: float, noise: float = 1e-4, level: float = 0.3) -> np.ndarray:
    """Two seconds of speech with silence around it."""
    lengths = [round(seconds * RATE_HZ) for seconds in (before, after)]
    generator = np.random.default_rng(1)
    voice = speech(2.0, RATE_HZ, level=level)[RATE_HZ // 10 : -RATE_HZ // 10]
    parts = [np.zeros(lengths[0]), voice, np.zeros(lengths[1])]
    samples = np.concatenate(parts)
    return (samples + generator.normal(0, noise, len(samples))).astype(np.float32)


@pytest.mark.parametrize("noise", [0.0, 1e-4, 3e-3])
@pytest.mark.parametrize("level", [0.9, 0.3, 0.03])
def test_silence_is_cut_and_a_margin_left_however_loud_the_recording_is(noise: float, level: float) -> None:
    samples = padded(1.0, 1.5, noise * level / 0.3, level)
    trimmed = trim(samples, RATE_HZ)
    assert 2.0 < len(trimmed) / RATE_HZ < 2.2
    start = len(samples) - len(trimmed)
    assert np.shares_memory(samples, trimmed)
    assert start > 0


def test_pauses_inside_stay() -> None:
    one = padded(0.5, 0.5)
    samples = np.concatenate([one, one])
    assert len(trim(samples, RATE_HZ)) / RATE_HZ == pytest.approx(5.1, abs=0.1)


def test_a_click_in_the_silence_is_no_speech() -> None:
    samples = padded(1.0, 1.0)
    samples[RATE_HZ // 2 : RATE_HZ // 2 + 40] = 0.9
    assert len(trim(samples, RATE_HZ)) / RATE_HZ < 2.2


def test_direct_current_hides_no_silence() -> None:
    assert len(trim(padded(1.0, 1.0) + np.float32(0.2), RATE_HZ)) / RATE_HZ < 2.3


def test_a_recording_without_silence_is_left_alone() -> None:
    samples = padded(0, 0)
    assert len(trim(samples, RATE_HZ)) >= len(samples) - RATE_HZ * 0.05


def test_levels_are_those_of_the_sound() -> None:
    square = np.tile([0.5, -0.5], RATE_HZ // 2).astype(np.float32)
    assert levels_dbfs(square, RATE_HZ) == pytest.approx(np.full(99, 20 * np.log10(0.5)), abs=0.01)
    assert levels_dbfs(np.zeros(RATE_HZ, np.float32), RATE_HZ).max() == -120
    assert len(levels_dbfs(np.zeros(10, np.float32), RATE_HZ)) == 0


@settings(max_examples=examples(60))
@given(st.lists(st.floats(-1, 1, width=32), max_size=400), st.integers(1, 60))
def test_any_samples_give_a_part_of_themselves(values: list[float], times: int) -> None:
    samples = np.repeat(np.array(values, np.float32), times)
    trimmed = trim(samples, 8000)
    assert len(trimmed) <= len(samples)
    assert len(trimmed) or not len(samples)


def test_hiss_before_and_behind_speech_is_no_speech() -> None:
    noise = np.random.default_rng(0).normal(0, 0.003, 5 * RATE_HZ).astype(np.float32)
    voice = (0.3 * np.sin(2 * np.pi * 200 * np.arange(2 * RATE_HZ) / RATE_HZ)).astype(np.float32)
    start, end = speech_span(np.concatenate([noise, voice, noise]), RATE_HZ)
    assert abs(start / RATE_HZ - 5) < 0.1 and abs(end / RATE_HZ - 7) < 0.1


def test_a_soft_word_before_a_pause_is_speech() -> None:
    times = np.arange(RATE_HZ) / RATE_HZ
    soft = (0.02 * np.sin(2 * np.pi * 200 * times[: RATE_HZ // 4])).astype(np.float32)
    loud = (0.3 * np.sin(2 * np.pi * 200 * times)).astype(np.float32)
    quiet = np.zeros(RATE_HZ, np.float32)
    start, _ = speech_span(np.concatenate([quiet, soft, quiet, loud, quiet]), RATE_HZ)
    assert abs(start / RATE_HZ - 1) < 0.1
