"""The noise of a sentence: the same for a seed, any without one."""

import numpy as np
import pytest

from voxmatrix.piper.engines.inputs import sentence_noise


@pytest.mark.parametrize("ids", [300, 3000], ids=["few", "many"])
def test_without_a_seed_it_is_standard_normal_and_other_each_time(ids: int) -> None:
    first, second = (sentence_noise(ids, None, per_id=2) for _ in range(2))

    assert first.shape == (2 * ids,) and first.dtype == np.float32
    assert not np.array_equal(first, second)
    assert abs(first.mean()) < 0.25 and 0.8 < first.std() < 1.2  # of 600 numbers: six times what is usual


def test_with_a_seed_fewer_are_the_first_of_many() -> None:
    assert np.array_equal(sentence_noise(50, 7, per_id=2), sentence_noise(50, 7)[:100])
