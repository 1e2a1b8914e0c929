import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.dataset.segment.test_cut import BURST, MUSIC, SILENCE, SPEECH, Sound, steps
from voxmatrix.dataset.segment.at_times import cut_at
from voxmatrix.dataset.segment.cut import Cut
from voxmatrix.transcripts.label import Label


def at_times(labels: list[tuple[float, float]], *parts: tuple[float, Sound]) -> Cut:
    probabilities, levels, flatness, seconds = steps(*parts)
    named = [Label(start, end, f"text {number}") for number, (start, end) in enumerate(labels)]
    return cut_at(named, np.stack([probabilities, levels, flatness], axis=1), seconds, 20.0)


TALK = ((1, SILENCE), (3, SPEECH), (1, SILENCE), (1, SPEECH), (1, SILENCE))


def test_each_label_is_a_clip_with_the_silence_around_it() -> None:
    found = at_times([(1, 4), (5, 6)], *TALK)
    assert found.texts == [(1, "text 0"), (1, "text 1")]
    assert [(round(one.start, 1), round(one.end, 1)) for one in found.clips] == [(0.7, 4.3), (4.7, 6.3)]
    assert {why for _, why in found.left_out} == {"silence"}


def test_labels_between_which_nobody_pauses_are_one_clip() -> None:
    found = at_times([(1, 2.5), (2.5, 4), (5, 6)], *TALK)
    assert found.texts == [(1, "text 0 text 1"), (1, "text 2")]


def test_a_label_that_is_longer_than_a_clip_is_cut_in_its_pauses() -> None:
    found = at_times(
        [(1, 28)], (1, SILENCE), (8, SPEECH), (0.8, SILENCE), (8, SPEECH), (0.8, SILENCE), (8, SPEECH), (1, SILENCE)
    )
    assert found.texts == [(3, "text 0")]
    assert [round(one.end - one.start) for one in found.clips] == [9, 9, 9]


@pytest.mark.parametrize(
    ("labels", "parts", "left_out"),
    [
        ([(1, 8)], ((1, SILENCE), (3, SPEECH), (0.5, BURST), (3, SPEECH), (1, SILENCE)), "noise"),
        ([(1, 4)], ((1, SILENCE), (3, MUSIC), (1, SILENCE)), "no-speech"),
        ([(1, 4)], (*TALK, (5, SPEECH), (1, SILENCE)), "no-label"),
        ([(1, 4)], ((8, SILENCE),), "silence"),
    ],
)
def test_labels_have_the_checks_of_other_clips(
    labels: list[tuple[float, float]], parts: tuple[tuple[float, Sound], ...], left_out: str
) -> None:
    found = at_times(labels, *parts)
    assert left_out in {why for _, why in found.left_out}
    assert len(found.clips) == (1 if left_out == "no-label" else 0) == len(found.texts)


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0.01, 20)), max_size=6))
def test_any_labels_give_clips_within_the_recording(times: list[tuple[float, float]]) -> None:
    found = at_times(sorted((start, start + length) for start, length in times), *TALK)
    assert sum(count for count, _ in found.texts) == len(found.clips)
    for part in [*found.clips, *(part for part, _ in found.left_out)]:
        assert 0 <= part.start < part.end <= 7.01
