"""Cuts are in silence, clips last 2 to 12 seconds, and every second is in a clip or left out with a reason."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.dataset.segment.cut import MAX_SECONDS, MIN_SECONDS, Cut, cut
from voxmatrix.dataset.segment.noise import STEP_SECONDS

#: Probability of speech, level and flatness in dB.
SPEECH, SILENCE, MUSIC, TALK_IN_MUSIC, BURST, NOISY_SPEECH = (
    (0.98, -20.0, -20.0),
    (0.01, -75.0, -3.0),
    (0.02, -22.0, -30.0),
    (0.95, -19.0, -20.0),
    (0.1, -18.0, -3.0),
    (0.98, -18.0, -5.0),
)
Sound = tuple[float, float, float]


def steps(*parts: tuple[float, Sound]) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """The probabilities, levels and flatness of parts of so many seconds, and how long they are."""
    made = np.array([sound for seconds, sound in parts for _ in range(round(seconds / STEP_SECONDS))], np.float32)
    return *made.reshape(-1, 3).T, len(made) * STEP_SECONDS


def reasons(found: Cut) -> set[str]:
    return {reason for _, reason in found.left_out}


@pytest.mark.parametrize(
    ("parts", "clips", "left_out"),
    [
        ([(1, SILENCE), (5, SPEECH), (1, SILENCE)], 1, {"silence"}),
        ([(3, SPEECH), (0.3, SILENCE), (3, SPEECH)], 1, set()),
        ([(6, SPEECH), (2, SILENCE), (6, SPEECH)], 2, {"silence"}),
        ([(8, SPEECH), (0.3, SILENCE), (8, SPEECH)], 2, set()),
        ([(1, SILENCE), (5, SPEECH), (1, SILENCE), (9, MUSIC), (1, SILENCE)], 1, {"silence", "no-speech"}),
        ([(1, SILENCE), (5, SPEECH), (2, SILENCE), (1, SPEECH), (2, SILENCE)], 1, {"silence", "too-short"}),
        ([(1, SILENCE), (20, SPEECH), (1, SILENCE)], 0, {"silence", "no-pause"}),
        ([(3, MUSIC), (5, TALK_IN_MUSIC), (3, MUSIC)], 0, {"no-speech", "noise"}),
        ([(3, MUSIC), (14, TALK_IN_MUSIC), (3, MUSIC)], 0, {"no-speech", "noise"}),
        ([(1, SILENCE), (3, SPEECH), (0.5, BURST), (3, SPEECH), (1, SILENCE)], 0, {"silence", "noise"}),
        ([(1, SILENCE), (3, SPEECH), (0.5, NOISY_SPEECH), (3, SPEECH), (1, SILENCE)], 0, {"silence", "noise"}),
        ([(1, SILENCE), (3, SPEECH), (0.3, NOISY_SPEECH), (3, SPEECH), (1, SILENCE)], 1, {"silence"}),  # "sh"
        ([(9, SILENCE)], 0, {"silence"}),
        ([(9, MUSIC)], 0, {"no-speech"}),
        ([], 0, set()),
    ],
)
def test_speech_between_pauses_becomes_clips(parts: list[tuple[float, Sound]], clips: int, left_out: set[str]) -> None:
    found = cut(*steps(*parts), 20.0)
    assert len(found.clips) == clips
    assert reasons(found) == left_out


def test_of_a_short_pause_the_quietest_place_is_cut() -> None:
    speech = (11, SPEECH)
    probabilities, levels, flatness, seconds = steps(
        speech, (0.16, SILENCE), (0.064, (0.01, -85.0, -3.0)), (0.16, SILENCE), speech
    )
    found = cut(probabilities, levels, flatness, seconds, 20.0)
    assert len(found.clips) == 2
    assert found.clips[0].end == found.clips[1].start
    assert levels[round(found.clips[0].end / STEP_SECONDS)] == -85.0


def test_a_word_that_is_noticed_late_is_no_noise() -> None:
    found = cut(*steps((2, SILENCE), (0.2, (0.1, -20.0, -3.0)), (5, SPEECH), (1, SILENCE)), 20.0)
    assert len(found.clips) == 1
    assert found.clips[0].start < 2


#: Music of a level that a quiet room may have, too.
BED = (0.02, -48.0, -30.0)
_CLEAN = [(1, SILENCE), *[(3, SPEECH), (0.4, SILENCE)] * 3, (1, SILENCE)]


@pytest.mark.parametrize(
    "clip",
    [
        [(3, SPEECH), (0.4, SILENCE), (3, SPEECH), (0.4, BED), (3, SPEECH), (0.4, BED)],
        [(3, SPEECH), (0.4, SILENCE), (3, SPEECH), (0.4, BED), (3, SPEECH)],
        [(3, SPEECH), (0.3, BED)],
    ],
)
def test_music_under_some_of_the_words_is_noise(clip: list[tuple[float, Sound]]) -> None:
    found = cut(*steps(*_CLEAN, *clip, (1, SILENCE), *_CLEAN), 20.0)
    dropped = [part for part, reason in found.left_out if reason == "noise"]
    assert len(dropped) == 1
    assert 11 < dropped[0].start < dropped[0].end < 24
    assert found.clips


def test_what_a_noise_gate_leaves_of_the_room_is_no_music() -> None:
    """It closes in long pauses, and not in short ones."""
    clip = [(3, SPEECH), (0.3, BED), (3, SPEECH), (0.3, SILENCE), (3, SPEECH), (1, SILENCE)]
    found = cut(*steps((1, SILENCE), *clip * 3), 20.0)
    assert "noise" not in reasons(found)
    assert found.clips


def test_the_noise_of_a_room_is_no_music() -> None:
    parts = [(seconds, BED if sound is SILENCE else sound) for seconds, sound in _CLEAN * 3]
    found = cut(*steps(*parts), 20.0)
    assert "noise" not in reasons(found)
    assert found.clips


@pytest.mark.parametrize("gap", [0.2, 0.35])
def test_a_clip_begins_and_ends_in_the_silence_beside_music(gap: float) -> None:
    found = cut(*steps((4, MUSIC), (gap, SILENCE), (5, SPEECH), (gap, SILENCE), (4, MUSIC)), 20.0)
    [clip] = found.clips
    assert clip.start == pytest.approx(4, abs=STEP_SECONDS) or clip.start > 4
    assert clip.end <= 4 + gap + 5 + gap + 2 * STEP_SECONDS


def test_the_first_notes_of_music_are_no_word() -> None:
    found = cut(*steps((1, SILENCE), (5, SPEECH), (0.8, SILENCE), (0.1, (0.5, -25.0, -20.0)), (4, MUSIC)), 20.0)
    assert len(found.clips) == 1
    assert found.clips[0].end < 6.8


def test_how_much_noise_is_accepted_is_the_users_choice() -> None:
    parts = steps((1, (0.01, -35.0, -3.0)), (5, SPEECH), (1, (0.01, -35.0, -3.0)))
    assert not cut(*parts, 20.0).clips
    assert cut(*parts, 10.0).clips


sounds = st.sampled_from([SPEECH, SPEECH, SILENCE, SILENCE, MUSIC, BURST, TALK_IN_MUSIC, NOISY_SPEECH])


@given(st.lists(st.tuples(st.floats(0.03, 15), sounds), max_size=30))
def test_every_second_is_accounted_for(parts: list[tuple[float, Sound]]) -> None:
    probabilities, levels, flatness, seconds = steps(*parts)
    found = cut(probabilities, levels, flatness, seconds, 20.0)
    everything = sorted([*found.clips, *(part for part, _ in found.left_out)])
    edges = [0.0, *(part.end for part in everything)]
    assert [part.start for part in everything] == pytest.approx(edges[:-1])
    assert edges[-1] == pytest.approx(seconds)
    for clip in found.clips:
        assert MIN_SECONDS - 1 <= clip.end - clip.start <= MAX_SECONDS
        for edge, last in ((clip.start, 0.0), (clip.end, seconds)):
            step = min(round(edge / STEP_SECONDS), len(levels) - 1)
            assert edge == last or probabilities[step] < 0.5 or probabilities[step - 1] < 0.5
