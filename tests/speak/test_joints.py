"""A sentence that two voices share has no gap, and its words are where they are heard."""

from dataclasses import replace

import numpy as np
import pytest

from voxmatrix.models.family import TimedWord, Utterance
from voxmatrix.speak.joints import joint_edges, moved_words

RATE_HZ = 16_000
SOUND = np.concatenate([np.zeros(1600), 0.1 * np.sin(np.arange(8000)), np.zeros(3200)]).astype(np.float32)


@pytest.mark.parametrize(("before", "behind"), [(True, True), (True, False), (False, True), (False, False)])
def test_silence_is_left_out_at_the_joint_alone(before: bool, behind: bool) -> None:
    start, end = joint_edges(SOUND, RATE_HZ, before=before, behind=behind)
    assert start == (pytest.approx(1600, abs=240) if before else 0) and start <= 1600
    assert end == (pytest.approx(9600, abs=240) if behind else len(SOUND)) and end >= 9600


def test_what_is_silent_stays() -> None:
    assert joint_edges(np.zeros(800, np.float32), RATE_HZ, before=True, behind=True) == (0, 800)
    assert joint_edges(np.zeros(0, np.float32), RATE_HZ, before=True, behind=True) == (0, 0)


def test_words_move_with_the_speech() -> None:
    said = replace(Utterance(), words=lambda: [TimedWord("one", 0, 2000), TimedWord("two", 2000, 9900)])
    assert list(moved_words(said, 1600, 9600).words()) == [TimedWord("one", 0, 400), TimedWord("two", 400, 8000)]
