"""Monotonic rational-quadratic splines with linear tails (Durkan et al. 2019), without branches on data.

Inputs in the tails are unchanged. They are computed like the others and masked out afterwards, so that host and device
need not synchronise.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from voxmatrix.vits.layers.constants import BINS, EDGE_SLOPE, MINIMUM, TAIL

#: What the widths, and the heights, of the bins have beyond their minimum, in units of all of them.
_FREE = 1.0 - MINIMUM * BINS


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
    x, sizes, slopes = x.float(), torch.stack([widths, heights], -2).float(), slopes.float()
    if not reverse:
        return _Forward.apply(x, sizes, slopes)  # type: ignore[no-any-return, no-untyped-call]
    inside, clamped = x.abs() <= TAIL, x.clamp(-TAIL, TAIL)
    y, log_derivative = _inverse(clamped, _find_bin(clamped, _knots(sizes.softmax(-1)), _slopes(slopes), 1)[0])
    return torch.where(inside, y, x), torch.where(inside, log_derivative, 0.0)


def _knots(shares: Tensor) -> Tensor:
    """The shares of the bins (..., BINS) -> their edges from -TAIL to TAIL (..., BINS + 1)."""
    inner = 2.0 * TAIL * (MINIMUM + _FREE * shares).cumsum(-1)[..., :-1] - TAIL
    return functional.pad(functional.pad(inner, (1, 0), value=-TAIL), (0, 1), value=TAIL)


def _slopes(slopes: Tensor) -> Tensor:
    """Unnormalised inner slopes (..., BINS - 1) -> positive slopes at all edges (..., BINS + 1)."""
    return MINIMUM + functional.softplus(functional.pad(slopes, (1, 1), value=EDGE_SLOPE))


def _find_bin(values: Tensor, knots: Tensor, slopes: Tensor, axis: int) -> tuple[_Bin, Tensor]:
    """The bin of each value of an axis (0: x, 1: y), in one gather, and its number."""
    number = (values.unsqueeze(-1) >= knots[..., axis, 1:-1]).sum(-1)  # (...), 0..BINS-1
    corners, slopes = knots[..., :-1], slopes.unsqueeze(-2)
    table = torch.cat([corners, knots[..., 1:] - corners, slopes[..., :-1], slopes[..., 1:]], -2)  # (..., 6, BINS)
    columns = table.gather(-1, number[..., None, None].expand(*number.shape, table.size(-2), 1))
    x, y, width, height, left, right = columns.squeeze(-1).unbind(-1)
    return _Bin(x, width, y, height, left, right), number


class _Forward(torch.autograd.Function):
    """The values and the log of the derivative, with the gradient as a formula: autograd takes twice as many kernels.

    u is the place in the bin, 0..1; the value is y + height * over / under, and the derivative (slope / under)² * bend.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, sizes: Tensor, slopes: Tensor) -> tuple[Tensor, Tensor]:
        shares = sizes.softmax(-1)
        inside, clamped = x.abs() <= TAIL, x.clamp(-TAIL, TAIL)
        b, number = _find_bin(clamped, _knots(shares), _slopes(slopes), 0)
        u, slope = (clamped - b.x) / b.width, b.height / b.width
        rise, turn = slope - b.left_slope, b.left_slope + b.right_slope - 2 * slope
        over = u * torch.addcmul(b.left_slope, u, rise)
        under = torch.addcmul(slope, turn, u - u.square())
        bend = torch.addcmul(b.left_slope, u, torch.add(u * turn, rise, alpha=2))
        derivative = (slope / under).square() * bend
        y = torch.addcdiv(b.y, b.height * over, under)
        ctx.save_for_backward(shares, slopes, inside, number, *b, u, slope, rise, turn, over, under, bend, derivative)
        return torch.where(inside, y, x), torch.where(inside, derivative.log(), 0.0)

    @staticmethod
    def backward(ctx: Any, to_y: Tensor, to_log: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        shares, slopes, inside, number, *kept = ctx.saved_tensors
        b, (u, slope, rise, turn, over, under, bend, derivative) = _Bin(*kept[:6]), kept[6:]
        passed, to_y, to_log = to_y, torch.where(inside, to_y, 0.0), torch.where(inside, to_log, 0.0)
        square, rest = u.square(), 1 - u
        product = u * rest
        share = over / under
        by_under, by_bend = 2 * to_log / under, to_log / bend
        by_over = to_y * b.height / under
        less = torch.addcmul(by_under, by_over, share)  # for each unit of `under`
        to_right = torch.addcmul(by_bend * square, product, less, value=-1)
        to_left = torch.addcmul(by_bend * rest.square(), product, by_over - less)
        to_slope = torch.addcmul(2 * (by_bend * product + to_log / slope), by_over, square)
        to_slope = torch.addcmul(to_slope, less, 2 * product - 1)
        to_u = torch.addcmul(2 * by_bend * torch.addcmul(rise, u, turn), to_y * derivative, b.width)
        to_u = torch.addcmul(to_u, by_under * turn, 2 * u - 1)
        to_x = to_u / b.width
        to_height = torch.addcdiv(to_y * share, to_slope, b.width)
        to_width = -torch.addcmul(to_slope * slope, to_u, u) / b.width
        table = torch.stack([-to_x, to_y, to_width, to_height, to_left, to_right], -1).unsqueeze(-1)
        table = table.new_zeros(*number.shape, 6, BINS).scatter_(-1, number[..., None, None].expand_as(table), table)
        corners, widths = table[..., :2, :], table[..., 2:4, :]
        edges = functional.pad(corners[..., 1:] - widths[..., 1:] + widths[..., :-1], (0, 1))
        to_shares = 2.0 * TAIL * _FREE * edges.flip(-1).cumsum(-1).flip(-1)
        to_sizes = (to_shares - (to_shares * shares).sum(-1, keepdim=True)) * shares
        to_slopes = (table[..., 4, 1:] + table[..., 5, :-1]) * slopes.sigmoid()
        return torch.where(inside, to_x, passed), to_sizes, to_slopes


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


def _log_derivative(u: Tensor, slope: Tensor, b: _Bin) -> Tensor:
    numerator = b.right_slope * u.square() + 2 * slope * u * (1 - u) + b.left_slope * (1 - u).square()
    divisor = slope + (b.left_slope + b.right_slope - 2 * slope) * u * (1 - u)
    return 2 * slope.log() + numerator.log() - 2 * divisor.log()
