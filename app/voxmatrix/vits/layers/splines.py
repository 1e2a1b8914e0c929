"""Monotonic rational-quadratic splines with linear tails (Durkan et al. 2019), without branches on data.

Inputs in the tails are unchanged. They are computed like the others and masked out afterwards, so that host and device
need not synchronise.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from voxmatrix.vits.layers.constants import BINS, EDGE_SLOPE, MINIMUM, TAIL


class _Bin(NamedTuple):
    """The bin of each input: its lower left corner, its size and the slopes at both edges."""

    x: Tensor
    width: Tensor
    y: Tensor
    height: Tensor
    left_slope: Tensor
    right_slope: Tensor


def spline(
    x: Tensor, widths: Tensor, heights: Tensor, slopes: Tensor, *, reverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Apply the spline given by unnormalised widths, heights (..., BINS) and slopes (..., BINS - 1) to x (...).

    Returns the values and the log of the derivative, both (...), in float32.
    """
    x, widths, heights, slopes = x.float(), widths.float(), heights.float(), slopes.float()
    inside = (x >= -TAIL) & (x <= TAIL)
    clamped = x.clamp(-TAIL, TAIL)
    xs, ys = _knots(widths), _knots(heights)  # (..., BINS + 1)
    bin_ = _find_bin(clamped, xs, ys, _slopes(slopes), ys if reverse else xs)
    y, log_derivative = _inverse(clamped, bin_) if reverse else _forward(clamped, bin_)
    return torch.where(inside, y, x), torch.where(inside, log_derivative, 0.0)


def _knots(sizes: Tensor) -> Tensor:
    """Unnormalised sizes of bins (..., BINS) -> their edges from -TAIL to TAIL (..., BINS + 1)."""
    sizes = MINIMUM + (1.0 - MINIMUM * BINS) * sizes.softmax(-1)
    inner = 2.0 * TAIL * sizes.cumsum(-1)[..., :-1] - TAIL
    return functional.pad(functional.pad(inner, (1, 0), value=-TAIL), (0, 1), value=TAIL)


def _slopes(slopes: Tensor) -> Tensor:
    """Unnormalised inner slopes (..., BINS - 1) -> positive slopes at all edges (..., BINS + 1)."""
    return MINIMUM + functional.softplus(functional.pad(slopes, (1, 1), value=EDGE_SLOPE))


def _find_bin(values: Tensor, xs: Tensor, ys: Tensor, slopes: Tensor, edges: Tensor) -> _Bin:
    """The bin of each value, in one gather."""
    number = (values.unsqueeze(-1) >= edges[..., 1:-1]).sum(-1)  # (...), 0..BINS-1
    table = torch.stack(
        [
            xs[..., :-1],
            xs[..., 1:] - xs[..., :-1],
            ys[..., :-1],
            ys[..., 1:] - ys[..., :-1],
            slopes[..., :-1],
            slopes[..., 1:],
        ],
        dim=-2,
    )  # (..., 6, BINS)
    columns = table.gather(-1, number[..., None, None].expand(*number.shape, table.size(-2), 1))
    return _Bin(*columns.squeeze(-1).unbind(-1))


def _forward(x: Tensor, b: _Bin) -> tuple[Tensor, Tensor]:
    u = (x - b.x) / b.width  # 0..1 inside the bin
    slope = b.height / b.width
    y = b.y + b.height * (slope * u.square() + b.left_slope * u * (1 - u)) / _divisor(u, slope, b)
    return y, _log_derivative(u, slope, b)


def _inverse(y: Tensor, b: _Bin) -> tuple[Tensor, Tensor]:
    slope = b.height / b.width
    rise = y - b.y
    bend = rise * (b.left_slope + b.right_slope - 2 * slope)
    a2 = b.height * (slope - b.left_slope) + bend
    a1 = b.height * b.left_slope - bend
    a0 = -slope * rise
    root = (a1.square() - 4 * a2 * a0).clamp_min(0.0).sqrt()
    u = 2 * a0 / (-a1 - root)  # this form of the solution avoids cancellation
    return b.x + u * b.width, -_log_derivative(u, slope, b)


def _divisor(u: Tensor, slope: Tensor, b: _Bin) -> Tensor:
    return slope + (b.left_slope + b.right_slope - 2 * slope) * u * (1 - u)


def _log_derivative(u: Tensor, slope: Tensor, b: _Bin) -> Tensor:
    numerator = b.right_slope * u.square() + 2 * slope * u * (1 - u) + b.left_slope * (1 - u).square()
    return 2 * slope.log() + numerator.log() - 2 * _divisor(u, slope, b).log()
