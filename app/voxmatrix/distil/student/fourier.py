"""Fourier transforms of a window as two small matrix products each, a tenth of the work of one large one.

A place n = COLUMNS a + b of the window and a bin k = ROWS d + c are split in two; then

    X[k] = sum over b of e^(-2 pi i b k / WINDOW) * (sum over a of x[n] e^(-2 pi i a c / ROWS))

where the inner sum does not depend on d. Of real numbers, c up to half of ROWS suffices. What the transform makes, and
what the inverse one takes, are the bins of `bins_in_order`: no tensor is reordered on the way.
"""

import math

import torch
from torch import Tensor, nn

from voxmatrix.distil.student.corpus import HOP
from voxmatrix.distil.student.waves import BINS, WINDOW

ROWS, COLUMNS = 30, 40
#: Rows that suffice, of real numbers.
HALF = ROWS // 2 + 1
assert ROWS * COLUMNS == WINDOW


def bins_in_order() -> tuple[Tensor, Tensor]:
    """For each number of a transform, the bin of WINDOW // 2 + 1 that it is, and -1 if it is its conjugate, else 1."""
    bins = (torch.arange(HALF)[:, None] + ROWS * torch.arange(COLUMNS)).flatten()
    conjugate = bins >= BINS
    return torch.where(conjugate, WINDOW - bins, bins), torch.where(conjugate, -1.0, 1.0)


class Fourier(nn.Module):
    """Both transforms, with Hann windows that make the frames of four overlapping windows add up."""

    inner: Tensor
    outer: Tensor
    inner_back: Tensor
    outer_back: Tensor
    given: Tensor
    made: Tensor

    def __init__(self) -> None:
        super().__init__()
        row, column = (torch.arange(count, dtype=torch.float64) for count in (ROWS, COLUMNS))
        half = row[:HALF]
        inner = 2 * math.pi / ROWS * torch.outer(row, half)
        # Of each c: the angle of b and d, (c, b, d).
        outer = (
            2 * math.pi * (half[:, None, None] * column[:, None] / WINDOW + torch.outer(column, column)[None] / COLUMNS)
        )
        twice = torch.full((HALF,), 2 / WINDOW, dtype=torch.float64)
        twice[0] = twice[-1] = 1 / WINDOW
        window = torch.hann_window(WINDOW, dtype=torch.float64)
        constants = {
            "inner": torch.stack([inner.T.cos(), -inner.T.sin()], 1).flatten(0, 1),  # (c 2, a)
            "outer": _of_complex(outer.cos(), -outer.sin()),  # (c, 2 b, 2 d)
            "inner_back": torch.stack([twice * inner.cos(), -twice * inner.sin()], 2).flatten(1),  # (a, c 2)
            "outer_back": _of_complex(outer.mT.cos(), outer.mT.sin()),  # (c, 2 d, 2 b)
            "given": window / HOP,
            "made": window / 1.5,
        }
        for name, value in constants.items():
            self.register_buffer(name, value.float(), persistent=False)

    def forward(self, frames: Tensor) -> Tensor:
        """Real windows (f, WINDOW) -> (c, f, 2 d), real and imaginary parts."""
        rows = self.inner @ (frames * self.given).reshape(-1, ROWS, COLUMNS)  # (f, c 2, b)
        return rows.reshape(-1, HALF, 2 * COLUMNS).transpose(0, 1) @ self.outer

    def inverse(self, spectrum: Tensor) -> Tensor:
        """(c, f, 2 d) -> windows (f, WINDOW)."""
        parts = (spectrum @ self.outer_back).transpose(0, 1).reshape(-1, 2 * HALF, COLUMNS)  # (f, c 2, b)
        return (self.inner_back @ parts).reshape(-1, WINDOW) * self.made


def _of_complex(real: Tensor, imaginary: Tensor) -> Tensor:
    """Matrices that multiply complex numbers, whose parts are one behind the other."""
    return torch.cat([torch.cat([real, imaginary], 2), torch.cat([-imaginary, real], 2)], 1)
