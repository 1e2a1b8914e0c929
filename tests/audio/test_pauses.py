"""Speech that is too long ends in a pause, not within a word."""

import numpy as np
import pytest

from voxmatrix.audio.pauses import MIN_PAUSE_SECONDS, best_stretch, cut_at_pause
from voxmatrix.audio.waves import Samples

RATE_HZ = 16_000


def words(*seconds: float, gap: float, quiet: float = 0.0) -> Samples:
    """Sounds of these lengths, with gaps between them in which the level is `quiet` times that of the sounds."""
    noise = np.random.default_rng(0)
    parts = []
    for length in seconds:
        parts.append(noise.normal(0, 0.1, round(length * RATE_HZ)))
        parts.append(noise.normal(0, 0.1 * quiet, round(gap * RATE_HZ)) if quiet else np.zeros(round(gap * RATE_HZ)))
    return np.concatenate(parts).astype(np.float32)


def ends_in_silence(samples: Samples) -> bool:
    return float(np.abs(samples[-round(0.03 * RATE_HZ) :]).max()) < 0.05


def test_what_is_short_enough_is_not_cut() -> None:
    speech = words(2.0, gap=0.3)
    assert cut_at_pause(speech, RATE_HZ, 1.0, 3.0) is speech


@pytest.mark.parametrize("most", [5.0, 5.5, 6.2, 6.9])
def test_speech_ends_in_the_last_pause_before_the_limit(most: float) -> None:
    speech = words(2.8, 2.8, 2.8, 2.8, gap=0.4)  # pauses from 2.8, 6.0 and 9.2 s on
    cut = cut_at_pause(speech, RATE_HZ, 1.0, most)
    assert len(cut) / RATE_HZ == pytest.approx(2.9 if most < 6.0 else 6.1, abs=0.03)
    assert ends_in_silence(cut)


def test_a_gap_within_a_word_is_no_pause_but_better_than_a_vowel() -> None:
    speech = words(*[0.5] * 12, gap=MIN_PAUSE_SECONDS / 2)  # 0.6 s each, without a pause
    cut = cut_at_pause(speech, RATE_HZ, 1.0, 4.0)
    assert 2.0 <= len(cut) / RATE_HZ <= 4.0
    assert ends_in_silence(cut)


def test_a_pause_far_before_the_limit_does_not_cost_most_of_the_speech() -> None:
    speech = words(2.0, 20.0, gap=0.5)
    assert len(cut_at_pause(speech, RATE_HZ, 1.0, 10.0)) >= 8.0 * RATE_HZ


def test_no_less_is_left_than_is_needed() -> None:
    speech = words(3.0, 20.0, gap=0.5)
    assert 4.0 * RATE_HZ <= len(cut_at_pause(speech, RATE_HZ, 4.0, 5.0)) <= 5.0 * RATE_HZ


def test_an_engine_may_need_as_much_as_it_uses() -> None:
    assert len(best_stretch(words(4, 4, 4, gap=0.05), RATE_HZ, 10.0, 10.0)[1]) == 10 * RATE_HZ


def test_the_first_stretch_is_taken_where_all_are_alike_and_short_speech_whole() -> None:
    speech = words(*[2.8] * 6, gap=0.4)
    assert best_stretch(speech, RATE_HZ, 1.0, 30.0) == (0.0, speech)
    begin, best = best_stretch(speech, RATE_HZ, 1.0, 7.0)
    assert begin == 0.0
    np.testing.assert_array_equal(best, cut_at_pause(speech, RATE_HZ, 1.0, 7.0))


@pytest.mark.parametrize("fault", ["noise", "clipped", "silence"])
def test_a_begin_that_is_heard_badly_is_passed_over(fault: str) -> None:
    good = words(*[2.8] * 3, gap=0.4, quiet=0.01)
    bad = good + np.random.default_rng(1).normal(0, 0.03, len(good)).astype(np.float32)
    bad = {"noise": bad, "clipped": np.clip(20 * good, -1, 1), "silence": words(*[0.4] * 3, gap=2.8, quiet=0.01)}[fault]

    begin, best = best_stretch(np.concatenate([bad, good]), RATE_HZ, 1.0, 7.0)

    assert begin >= len(bad) / RATE_HZ - 3.5 and 3.0 <= len(best) / RATE_HZ <= 7.0
    inside = round(begin * RATE_HZ)
    np.testing.assert_array_equal(best, np.concatenate([bad, good])[inside : inside + len(best)])
