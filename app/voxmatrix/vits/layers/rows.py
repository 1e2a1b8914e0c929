"""Convolutions as matrix products, for training. The channels of a place are one row.

On a CPU, oneDNN's convolutions reach half to nine tenths of the speed of a matrix product. Kernels without a stride
need 0.4 to 0.5 of the multiplications as well (`winograd`); results differ by a few millionths. On a GPU, cuDNN would
bring inputs, weights and outputs of each convolution into this order and back, unless they are in it.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.vits.layers.winograd import filtering

#: Outputs that are computed together. With more, rounding and memory grow faster than the products become fewer.
_OUTPUTS = 4
#: With fewer channels, what is added before and after the products takes longer than they do.
_MIN_CHANNELS = 64

Made = TypeVar("Made")
#: Applies a convolution.
Convolve = Callable[[Any, Tensor], Tensor]


def suits_rows(x: Tensor) -> bool:
    """Whether these networks should compute this input in rows."""
    exact = x.dtype in (torch.float32, torch.float64) and not torch.is_autocast_enabled("cpu")
    return torch.is_grad_enabled() and (exact or x.device.type != "cpu")


def convolve(conv: Any, x: Tensor) -> Tensor:
    """The same as `conv`: (b, c, t) -> (b, d, t), in memory (b, t, d) when a GPU trains."""
    if x.device.type == "cpu" or not (conv.training and torch.is_grad_enabled()):
        return conv(x)  # type: ignore[no-any-return]
    if conv.kernel_size == (1,):
        return functional.linear(x.mT, conv.weight.squeeze(-1), conv.bias).mT
    return convolve_plane(conv, x.unsqueeze(2)).squeeze(2)


def convolve_plane(conv: nn.Conv1d | nn.ConvTranspose1d, x: Tensor) -> Tensor:
    """The same, of a plane of one line: (b, c, 1, t) -> (b, d, 1, t), channels last in memory."""
    apply = functional.conv_transpose2d if isinstance(conv, nn.ConvTranspose1d) else functional.conv2d
    x = _cast(x).contiguous(memory_format=torch.channels_last)
    weight = conv.weight.unsqueeze(2).to(x.dtype, memory_format=torch.channels_last)
    stride, padding, dilation = ((1, *conv.stride), (0, *conv.padding), (1, *conv.dilation))
    return apply(x, weight, conv.bias, stride=stride, padding=padding, dilation=dilation)


def convolve_rows(conv: nn.Conv1d | nn.Conv2d, x: Tensor) -> Tensor:
    """The same as `conv`, of one or two dimensions, along rows: (n, h, c) -> (n, o, d).

    Its padding is half of its kernel, and it is neither grouped nor dilated. A second dimension of its kernel is 1.
    """
    if isinstance(conv, nn.Conv1d) and x.device.type != "cpu":
        return convolve(conv, x.mT).mT
    weight, taps, stride = conv.weight, conv.kernel_size[0], conv.stride[0]
    if taps == 1:
        return functional.linear(x, weight.flatten(1), conv.bias)
    if x.device.type == "cpu" and stride == 1 and min(weight.shape[:2]) >= _MIN_CHANNELS:
        return _filtered(x, weight, conv.bias)
    x = _cast(x)
    windows = _windows(x, taps // 2, taps, stride)
    matrix = _kept(weight, lambda: weight.to(x.dtype).flatten(2).transpose(1, 2).flatten(1))
    made = functional.linear(windows.flatten(0, 1), matrix, conv.bias)
    # Not a view for autograd: activations change it in place.
    return torch.ops.aten._unsafe_view(made, (*windows.shape[:2], -1))  # type: ignore[no-any-return]


def _cast(x: Tensor) -> Tensor:
    """In the precision of autocast on a GPU, before more is made of it."""
    return x.to(torch.get_autocast_dtype("cuda")) if x.is_cuda and torch.is_autocast_enabled("cuda") else x


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
        (_, first), *others = ctx.parts
        steps = functional.pad(gradient[:, :, first], (0, ctx.step * c - first.stop, 0, len(others)))
        for at, part in others:
            steps[:, at : at + count, : part.stop - part.start].add_(gradient[:, :, part])
        return steps.view(n, -1, c)[:, ctx.before : ctx.before + h], None, None, None


def _filtered(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """(n, h, c), (d, c, taps) -> (n, h, d)."""
    (n, h, c), taps = x.shape, weight.size(2)
    after, _, before = _matrices(taps, x.dtype)
    size, count = before.size(0), -(-h // _OUTPUTS)
    windows = _windows(x, taps // 2, size, _OUTPUTS).view(n * count, size, c)
    mixed = torch.bmm(before.expand(n * count, -1, -1), windows)
    # A product for each, not bmm: the gradient of its kernels would be transposed, which takes as long as a product.
    products = [
        functional.linear(*pair) for pair in zip(mixed.unbind(1), _kept(weight, lambda: _kernels(weight)), strict=True)
    ]
    made = torch.bmm(after.expand(n * count, -1, -1), torch.stack(products, 1))
    made = made.view(n, count * _OUTPUTS, -1)[:, :h]
    return made if bias is None else made + bias


def _kernels(weight: Tensor) -> tuple[Tensor, ...]:
    """A matrix (d, c) for each row that is multiplied."""
    d, c, taps = weight.shape[:3]
    kernel = _matrices(taps, weight.dtype)[1]
    return (kernel @ weight.reshape(-1, taps).t()).view(-1, d, c).unbind()


def _kept(weight: Tensor, make: Callable[[], Made]) -> Made:
    """What is made of a weight. A normalised one is never updated, and several calls in `parametrize.cached()` have it:
    then it is made once."""
    if weight.is_leaf:
        return make()
    if not hasattr(weight, "_made"):
        weight._made = make()  # type: ignore[attr-defined]
    return weight._made  # type: ignore[attr-defined, no-any-return]


def _matrices(taps: int, dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor]:
    """The matrices of `Filtering`. Tensors are made again in each call: one of FakeTensorMode must not outlive it."""
    after, kernel, before = (torch.from_numpy(matrix).to(dtype) for matrix in filtering(_OUTPUTS, taps))
    return after, kernel, before
