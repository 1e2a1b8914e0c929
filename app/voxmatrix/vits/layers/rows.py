"""Convolutions as matrix products, for training on a CPU. The channels of a place are one row.

oneDNN's convolutions reach half to nine tenths of the speed of a matrix product there. Kernels without a stride need
0.4 to 0.5 of the multiplications as well (`winograd`); results differ by a few millionths.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.vits.layers.winograd import filtering

#: Outputs that are computed together. With more, rounding and memory grow faster than the products become fewer.
_OUTPUTS = 4
#: With fewer channels, what is added before and after the products takes longer than they do.
_MIN_CHANNELS = 64

#: Applies a convolution.
Convolve = Callable[[Any, Tensor], Tensor]


def suits_rows(x: Tensor) -> bool:
    """Whether these networks should compute this input in rows."""
    exact = x.dtype in (torch.float32, torch.float64) and not torch.is_autocast_enabled("cpu")
    return x.device.type == "cpu" and exact and torch.is_grad_enabled()


def convolve_rows(conv: nn.Conv1d | nn.Conv2d, x: Tensor) -> Tensor:
    """The same as `conv`, of one or two dimensions, along rows: (n, h, c) -> (n, o, d).

    Its padding is half of its kernel, and it is neither grouped nor dilated. A second dimension of its kernel is 1.
    """
    weight, taps, stride = conv.weight, conv.kernel_size[0], conv.stride[0]
    if taps == 1:
        return functional.linear(x, weight.flatten(1), conv.bias)
    if stride == 1 and min(weight.shape[:2]) >= _MIN_CHANNELS:
        return _filtered(x, weight, conv.bias)
    windows = _windows(x, taps // 2, taps, stride)
    return functional.linear(windows, weight.flatten(2).transpose(1, 2).flatten(1), conv.bias)


def _windows(x: Tensor, before: int, size: int, step: int) -> Tensor:
    windows: Tensor = _Windows.apply(x, before, size, step)  # type: ignore[no-untyped-call]
    return windows


class _Windows(torch.autograd.Function):
    """The rows of each window, one after the other: (n, h, c) -> (n, windows, size * c).

    There is a window at every `step`-th row. The first one begins `before` rows early; beyond the ends, rows are zero.
    With slices alone, torch would allocate and clear all of the gradient for each of them.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, before: int, size: int, step: int) -> Tensor:
        (n, h, c), count = x.shape, -(-x.size(1) // step)
        # A window reaches a few steps beyond its own: the first row of each part, and its numbers in the window.
        parts = [(at, slice(at * step * c, min((at + 1) * step, size) * c)) for at in range(-(-size // step))]
        ctx.shape, ctx.before, ctx.step, ctx.parts = x.shape, before, step, parts
        rows = step * (count + len(parts) - 1)
        steps = functional.pad(x, (0, 0, before, rows - before - h)).view(n, -1, step * c)
        return torch.cat([steps[:, at : at + count, : part.stop - part.start] for at, part in parts], 2)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None, None]:
        (n, h, c), count = ctx.shape, gradient.size(1)
        steps = gradient.new_zeros(n, count + len(ctx.parts) - 1, ctx.step * c)
        for at, part in ctx.parts:
            steps[:, at : at + count, : part.stop - part.start] += gradient[:, :, part]
        return steps.view(n, -1, c)[:, ctx.before : ctx.before + h], None, None, None


def _filtered(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """(n, h, c), (d, c, taps) -> (n, h, d)."""
    (n, h, c), taps = x.shape, weight.size(2)
    after, _, before = _matrices(taps, x.dtype)
    size, count = before.size(0), -(-h // _OUTPUTS)
    windows = _windows(x, taps // 2, size, _OUTPUTS).view(n * count, size, c)
    mixed = torch.bmm(before.expand(n * count, -1, -1), windows)
    # A product for each, not bmm: the gradient of its kernels would be transposed, which takes as long as a product.
    products = [functional.linear(*pair) for pair in zip(mixed.unbind(1), _kernels(weight), strict=True)]
    made = torch.bmm(after.expand(n * count, -1, -1), torch.stack(products, 1))
    made = made.view(n, count * _OUTPUTS, -1)[:, :h]
    return made if bias is None else made + bias


def _kernels(weight: Tensor) -> tuple[Tensor, ...]:
    """A matrix (d, c) for each row that is multiplied."""
    kernels: tuple[Tensor, ...] | None = getattr(weight, "_kernels", None)
    if kernels is None:
        d, c, taps = weight.shape[:3]
        kernel = _matrices(taps, weight.dtype)[1]
        kernels = (kernel @ weight.reshape(-1, taps).t()).view(-1, d, c).unbind()
        if not weight.is_leaf:
            # A normalised weight, which is never updated: in `parametrize.cached()`, several calls have the same one.
            weight._kernels = kernels  # type: ignore[attr-defined]
    return kernels


def _matrices(taps: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """The matrices of `Filtering`. Tensors are made again in each call: one of FakeTensorMode must not outlive it."""
    after, kernel, before = (torch.from_numpy(matrix).to(dtype) for matrix in filtering(_OUTPUTS, taps))
    return after, kernel, before
