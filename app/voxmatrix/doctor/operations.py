"""The operations that a voice uses, one function each, small enough for any GPU. Only the child runs them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import Tensor

    #: Makes an input of this shape: the same numbers on the device and, as float64, on the CPU.
    Sample = Callable[..., Tensor]
    RunOperation = Callable[[Sample], tuple[Tensor, ...]]


@dataclass(frozen=True)
class Operation:
    """One operation: `run` takes a function that makes inputs and returns all tensors to be compared."""

    name: str
    run: "RunOperation"
    is_float32_only: bool = False  # FFTs have no half precision, and weights are updated in float32


def fill_add(sample: "Sample") -> "tuple[Tensor, ...]":
    """Fill and add, the simplest kernels."""
    x = sample(1000)
    return (x.clone().fill_(1.5) + x,)


def matmul(sample: "Sample") -> "tuple[Tensor, ...]":
    """CuBLAS, forward and backward."""
    return _with_gradients(lambda a, b: a @ b, sample(64, 96), sample(96, 48))


def conv1d(sample: "Sample") -> "tuple[Tensor, ...]":
    """CuDNN, forward and backward; (batch, channels, frames)."""
    from torch.nn import functional

    return _with_gradients(lambda x, w: functional.conv1d(x, w, padding=3), sample(2, 16, 120), sample(16, 16, 7))


def conv_transpose1d(sample: "Sample") -> "tuple[Tensor, ...]":
    """The generator's upsampling from frames to samples, forward and backward."""
    from torch.nn import functional

    def up(x: "Tensor", w: "Tensor") -> "Tensor":
        return functional.conv_transpose1d(x, w, stride=4, padding=2)

    # The narrowest layer of any voice (the last stage of tiny). Not narrower: torch 2.13.0+cpu on a CPU with AMX
    # computes a wrong input gradient in bfloat16 with 8 or 12 output channels (correct with 16, or without oneDNN).
    return _with_gradients(up, sample(2, 32, 40), sample(32, 16, 8))


def stft(sample: "Sample") -> "tuple[Tensor, ...]":
    """CuFFT, forward and inverse."""
    import torch

    x = sample(2, 2048)
    window = torch.hann_window(256, device=x.device, dtype=x.dtype)
    spectrum = torch.stft(x, 256, 64, window=window, return_complex=True)
    return torch.view_as_real(spectrum), torch.istft(spectrum, 256, 64, window=window, length=2048)


def index_scatter(sample: "Sample") -> "tuple[Tensor, ...]":
    """Gather and scatter by index, without repeated indices, so that the order of summation does not matter."""
    import torch

    x = sample(50, 8)
    order = torch.arange(50, device=x.device).flip(0)
    return x[order], torch.zeros_like(x).scatter_add(0, order[:, None].expand(50, 8), x)


def attention(sample: "Sample") -> "tuple[Tensor, ...]":
    """torch's scaled_dot_product_attention, forward and backward; (batch, heads, symbols, channels)."""
    from torch.nn import functional

    inputs = sample(2, 2, 40, 32), sample(2, 2, 40, 32), sample(2, 2, 40, 32)
    return _with_gradients(functional.scaled_dot_product_attention, *inputs)


def dilated_conv1d(sample: "Sample") -> "tuple[Tensor, ...]":
    """A layer of the decoder and of WaveNet, with gaps in its kernel; (batch, channels, frames)."""
    from torch.nn import functional

    def spread(x: "Tensor", w: "Tensor") -> "Tensor":
        return functional.conv1d(x, w, dilation=5, padding=25)

    return _with_gradients(spread, sample(2, 16, 120), sample(16, 16, 11))


def grouped_conv1d(sample: "Sample") -> "tuple[Tensor, ...]":
    """The layers of the scale discriminator: 41 wide, stride 4, four channels in each of 4 to 256 groups."""
    from torch.nn import functional

    results: list[Tensor] = []
    for groups in (4, 16, 64, 256):

        def layer(x: "Tensor", w: "Tensor", groups: int = groups) -> "Tensor":
            return functional.conv1d(x, w, stride=4, padding=20, groups=groups)

        results += _with_gradients(layer, sample(1, 4 * groups, 96), sample(4 * groups, 4, 41))
    return tuple(results)


def conv2d(sample: "Sample") -> "tuple[Tensor, ...]":
    """A layer of a period discriminator, five high and one wide; (batch, channels, frames, period)."""
    from torch.nn import functional

    def layer(x: "Tensor", w: "Tensor") -> "Tensor":
        return functional.conv2d(x, w, stride=(3, 1), padding=(2, 0))

    return _with_gradients(layer, sample(2, 16, 60, 5), sample(32, 16, 5, 1))


def layer_norm(sample: "Sample") -> "tuple[Tensor, ...]":
    """The norm of the text encoder; (batch, symbols, channels)."""
    from torch.nn import functional

    def norm(x: "Tensor", w: "Tensor", b: "Tensor") -> "Tensor":
        return functional.layer_norm(x, (96,), w, b)

    return _with_gradients(norm, sample(2, 40, 96), sample(96), sample(96))


def reflect_pad(sample: "Sample") -> "tuple[Tensor, ...]":
    """The edges of a wave, mirrored, as before a spectrum and in the period discriminators."""
    from torch.nn import functional

    return _with_gradients(lambda x: functional.pad(x, (24, 7), "reflect"), sample(2, 1, 200))


def adamw(sample: "Sample") -> "tuple[Tensor, ...]":
    """Two steps of the optimiser of a training, in one kernel for all weights.

    Without the class of the optimiser, whose first use imports torch's compiler: 3.5 s on a slow disk.
    """
    import torch

    weights, step = sample(32, 16), sample(1).new_zeros(())
    moments = [torch.zeros_like(weights)], [torch.zeros_like(weights)]
    for number in range(2):
        step.fill_(number + 1)
        torch._fused_adamw_(
            [weights],
            [sample(32, 16)],
            *moments,
            [],
            [step],
            lr=0.1,
            beta1=0.8,
            beta2=0.99,
            weight_decay=0.01,
            eps=1e-9,
            amsgrad=False,
            maximize=False,
        )
    return (weights,)


OPERATIONS = (
    Operation("fill/add", fill_add),
    Operation("matmul", matmul),
    Operation("conv1d", conv1d),
    Operation("conv_transpose1d", conv_transpose1d),
    Operation("stft/istft", stft, is_float32_only=True),
    Operation("index/scatter", index_scatter),
    Operation("sdpa", attention),
    Operation("dilated conv1d", dilated_conv1d),
    Operation("grouped conv1d", grouped_conv1d),
    Operation("conv2d", conv2d),
    Operation("layer_norm", layer_norm),
    Operation("reflect pad", reflect_pad),
    Operation("AdamW", adamw, is_float32_only=True),
)


def _with_gradients(function: "Callable[..., Tensor]", *inputs: "Tensor") -> "tuple[Tensor, ...]":
    leaves = [tensor.requires_grad_() for tensor in inputs]
    out = function(*leaves)
    (out * out).mean().backward()  # type: ignore[no-untyped-call]
    return (out.detach(), *(leaf.grad for leaf in leaves if leaf.grad is not None))


def sampler(device: "torch.device", dtype: "torch.dtype", computed_in: "torch.dtype") -> "Sample":
    """Make inputs of unit variance that are exact in `dtype`, so that only the computation can differ."""
    import torch

    generator = torch.Generator().manual_seed(1234)

    def sample(*shape: int) -> "Tensor":
        drawn = torch.randn(*shape, generator=generator, dtype=torch.float64).to(dtype)
        return drawn.to(device=device, dtype=computed_in)

    return sample
