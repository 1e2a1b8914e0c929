"""Minimal filtering."""

import numpy as np
import pytest

from voxmatrix.vits.layers.winograd import filtering


@pytest.mark.parametrize(("outputs", "taps"), [(1, 5), (2, 3), (4, 3), (4, 5), (2, 7), (4, 7)])
def test_it_is_a_convolution(outputs: int, taps: int) -> None:
    after, kernel, before = filtering(outputs, taps)
    random = np.random.default_rng(0)
    inputs, weights = random.standard_normal(outputs + taps - 1), random.standard_normal(taps)

    expected = [inputs[place : place + taps] @ weights for place in range(outputs)]

    assert np.allclose(after @ ((kernel @ weights) * (before @ inputs)), expected, atol=1e-12)


def test_no_more_than_ten_inputs() -> None:
    with pytest.raises(ValueError, match="11 inputs"):
        filtering(4, 8)
