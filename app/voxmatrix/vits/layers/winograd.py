"""Minimal filtering: several neighbouring outputs of a convolution with fewer multiplications (Winograd 1980; Lavin and
Gray 2016, arXiv 1509.09308). Exact but for rounding."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Where polynomials are evaluated. Small numbers keep float32 exact to a few of its steps.
_SIZES = (Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 2))
_POINTS = (Fraction(0), *(sign * size for size in _SIZES for sign in (1, -1)))


class Filtering(NamedTuple):
    """The matrices for `outputs` neighbouring outputs of a kernel with k taps, from a = outputs + k - 1 inputs:

    outputs = after @ ((kernel @ taps) * (before @ inputs)), instead of outputs * k multiplications with a.
    """

    after: NDArray[np.float64]  # (outputs, a)
    kernel: NDArray[np.float64]  # (a, k)
    before: NDArray[np.float64]  # (a, a)


@cache
def filtering(outputs: int, taps: int) -> Filtering:
    """The matrices for up to 10 inputs.

    Raises:
        ValueError: that would be more inputs.
    """
    inputs = outputs + taps - 1
    points = _POINTS[: inputs - 1]
    if len(points) < inputs - 1:
        raise ValueError(f"{inputs} inputs are more than {len(_POINTS) + 1}")
    after = [[point**row for point in points] + [Fraction(row == outputs - 1)] for row in range(outputs)]
    others = [[one for one in points if one != point] for point in points]
    before = [[*_polynomial(roots), Fraction(0)] for roots in others] + [_polynomial(points)]
    # The sum of a row's sizes moves from the inputs, which are rounded, to the kernel, which is computed once.
    sizes = [sum(map(abs, row), Fraction(0)) for row in before]
    kernel = [
        [size * point**tap / prod(point - other for other in rest) for tap in range(taps)]
        for point, rest, size in zip(points, others, sizes, strict=False)
    ]
    kernel.append([sizes[-1] * Fraction(tap == taps - 1) for tap in range(taps)])
    scaled = [[value / size for value in row] for row, size in zip(before, sizes, strict=True)]
    return Filtering(*(np.array(rows, dtype=np.float64) for rows in (after, kernel, scaled)))


def _polynomial(roots: Sequence[Fraction]) -> list[Fraction]:
    """The coefficients of the product of (x - root), the constant first."""
    found = [Fraction(1)]
    for root in roots:
        found = [above - root * one for above, one in zip([Fraction(0), *found], [*found, Fraction(0)], strict=True)]
    return found
