"""Monotonic rational-quadratic splines with straight tails (Durkan et al. 2019), without branches on data.

Inputs outside the box pass unchanged; they are computed like the others and then chosen away, so that the
device never has to tell the host how many there are.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

BINS = 10
TAIL = 5.0
#: The least width, height and slope of a bin.
LEAST = 1e-3
#: softplus of this is 1 - LEAST: the slope at the box's edges is 1, that of the tails.
_EDGE_SLOPE = math.log(math.expm1(1.0 - LEAST))


class _Bin(NamedTuple):
    """The bin that each input falls into: its left edge, size and the slopes at both edges."""

    x: Tensor
    width: Tensor
    y: Tensor
    height: Tensor
    left_slope: Tensor
    right_slope: Tensor


def spline(
    x: Tensor, widths: Tensor, heights: Tensor, slopes: Tensor, *, reverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Bend x (...) by unnormalised widths, heights (..., BINS) and slopes (..., BINS - 1).

    Returns the bent values and the log of the derivative, both (...), in float32.
    """
    x, widths, heights, slopes = x.float(), widths.float(), heights.float(), slopes.float()
    inside = (x >= -TAIL) & (x <= TAIL)
    at = x.clamp(-TAIL, TAIL)
    xs, ys = _knots(widths), _knots(heights)  # (..., BINS + 1)
    bin_ = _find_bin(at, xs, ys, _slopes(slopes), ys if reverse else xs)
    y, log_derivative = _inverse(at, bin_) if reverse else _bend(at, bin_)
    return torch.where(inside, y, x), torch.where(inside, log_derivative, 0.0)


def _knots(sizes: Tensor) -> Tensor:
    """Sizes of bins (..., BINS) -> their edges from -TAIL to TAIL (..., BINS + 1)."""
    sizes = LEAST + (1.0 - LEAST * BINS) * sizes.softmax(-1)
    inner = 2.0 * TAIL * sizes.cumsum(-1)[..., :-1] - TAIL
    return functional.pad(functional.pad(inner, (1, 0), value=-TAIL), (0, 1), value=TAIL)


def _slopes(slopes: Tensor) -> Tensor:
    """Inner slopes (..., BINS - 1) -> positive slopes at every edge (..., BINS + 1)."""
    return LEAST + functional.softplus(functional.pad(slopes, (1, 1), value=_EDGE_SLOPE))


def _find_bin(at: Tensor, xs: Tensor, ys: Tensor, slopes: Tensor, edges: Tensor) -> _Bin:
    """Pick for every value the bin whose edges enclose it, by one gather."""
    number = (at.unsqueeze(-1) >= edges[..., 1:-1]).sum(-1)  # (...), 0..BINS-1
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
    picked = table.gather(-1, number[..., None, None].expand(*number.shape, table.size(-2), 1))
    return _Bin(*picked.squeeze(-1).unbind(-1))


def _bend(x: Tensor, b: _Bin) -> tuple[Tensor, Tensor]:
    place = (x - b.x) / b.width  # 0..1 inside the bin
    steep = b.height / b.width
    y = b.y + b.height * (steep * place.square() + b.left_slope * place * (1 - place)) / _divisor(place, steep, b)
    return y, _log_derivative(place, steep, b)


def _inverse(y: Tensor, b: _Bin) -> tuple[Tensor, Tensor]:
    steep = b.height / b.width
    rise = y - b.y
    bulge = rise * (b.left_slope + b.right_slope - 2 * steep)
    a2 = b.height * (steep - b.left_slope) + bulge
    a1 = b.height * b.left_slope - bulge
    a0 = -steep * rise
    root = (a1.square() - 4 * a2 * a0).clamp_min(0.0).sqrt()
    place = 2 * a0 / (-a1 - root)  # the form that does not cancel
    return b.x + place * b.width, -_log_derivative(place, steep, b)


def _divisor(place: Tensor, steep: Tensor, b: _Bin) -> Tensor:
    return steep + (b.left_slope + b.right_slope - 2 * steep) * place * (1 - place)


def _log_derivative(place: Tensor, steep: Tensor, b: _Bin) -> Tensor:
    numerator = b.right_slope * place.square() + 2 * steep * place * (1 - place) + b.left_slope * (1 - place).square()
    return 2 * steep.log() + numerator.log() - 2 * _divisor(place, steep, b).log()
