"""Frames are given to the symbols that are heard in them, and silence at the ends to none of these."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.distil.student.conftest import FIRST, LAST, SYMBOLS, say, sentence
from voxmatrix.distil.student import align as aligning
from voxmatrix.distil.student.align import align, silent_frames
from voxmatrix.distil.student.corpus import HOP, RATE_HZ

SENTENCES = [sentence(number) for number in range(40)]
FRAME_SECONDS = HOP / RATE_HZ


@pytest.fixture(scope="module")
def found() -> list[NDArray[np.int64]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aligning, "_SEEN", 40 * 20)
        patch.setattr(aligning, "_BATCH", 8)
        return align([ids for ids, _ in SENTENCES], [say(*one) for one in SENTENCES], lambda done, of: None)


def test_symbols_begin_where_they_are_heard(found: list[NDArray[np.int64]]) -> None:
    errors = []
    for (ids, durations), counts in zip(SENTENCES, found, strict=True):
        errors += [counts[:place].sum() - sum(durations[:place]) for place in range(2, len(ids) - 1)]

    assert np.mean(np.abs(errors) * FRAME_SECONDS <= 0.025) >= 0.9


def test_all_frames_are_given_and_every_symbol_has_one(found: list[NDArray[np.int64]]) -> None:
    for (ids, durations), counts in zip(SENTENCES, found, strict=True):
        assert counts.sum() == sum(durations) and len(counts) == len(ids) and counts.min() >= 1


def test_silence_at_the_ends_belongs_to_the_first_and_the_last_symbol(found: list[NDArray[np.int64]]) -> None:
    for (_, durations), counts in zip(SENTENCES, found, strict=True):
        assert abs(counts[0] - durations[0]) <= 2 and abs(counts[-1] - durations[-1]) <= 4


def test_alignments_are_repeatable() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aligning, "_SEEN", 0)
        given = [ids for ids, _ in SENTENCES[:4]], [say(*one) for one in SENTENCES[:4]]
        first, second = (align(*given, lambda done, of: None) for _ in range(2))

    assert all(map(np.array_equal, first, second))


@pytest.mark.parametrize(("before", "after"), [(1, 1), (40, 5), (3, 60)])
def test_planted_silence_is_measured(before: int, after: int) -> None:
    wave = say([FIRST, *SYMBOLS, LAST], [before, *[8] * len(SYMBOLS), after]).wave()

    found = silent_frames(wave)

    assert max(1, before - 2) <= found[0] <= before and max(1, after - 4) <= found[1] <= after
