"""From latent frames to the wave: one decoder a module, chosen by the column `decoder` of qualities.toml."""

from abc import abstractmethod
from collections.abc import Mapping
from importlib import import_module

from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.tables.quality import Quality
from voxmatrix.vits.layers.rows import convolve


class Decoder(nn.Module):
    """Turns latent frames into samples, HOP of them a frame."""

    @property
    @abstractmethod
    def margin(self) -> int:
        """Frames on either side of a frame that its samples depend on."""

    @abstractmethod
    def forward(self, z: Tensor, speaker: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """Latent frames (b, c, f), the speaker's embedding (b, speaker_channels, 1) -> samples (b, 1, f * HOP).

        With a mask (b, 1, f) of ones and zeros, frames with a one have the samples that they would have alone.
        """


def masked(x: Tensor, mask: Tensor | None) -> Tensor:
    """What a convolution is given: zeros outside the mask (b, 1, n), like its padding."""
    return x if mask is None else x * mask


def upsampled(x: Tensor, weight: Tensor, bias: Tensor | None, stride: int, padding: int) -> Tensor:
    """`conv_transpose1d` with a kernel of some strides: (b, c, n) by (c, d, taps) -> (b, d, n * stride).

    Its phases are the channels of a plain convolution. In float32 that takes a tenth of the time of cuDNN's transposed
    convolution, of which the fast kernels add in any order.
    """
    channels, made, taps = weight.shape
    steps = taps // stride
    kernel = weight.reshape(channels, made, steps, stride).flip(2).permute(1, 3, 0, 2).reshape(-1, channels, steps)
    phases = functional.conv1d(x, kernel, padding=steps - 1)  # (b, d * stride, n + steps - 1)
    samples = phases.view(len(x), made, stride, -1).transpose(2, 3).flatten(2)
    samples = samples[:, :, padding : padding + x.size(2) * stride]
    return samples if bias is None else samples + bias[:, None]


def upsample(up: nn.Module, x: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor | None]:
    """A transposed convolution of x (b, c, n), and the mask (b, 1, n) at its rate; with a mask, by `upsampled`."""
    assert isinstance(up, nn.ConvTranspose1d)
    if mask is None:
        return convolve(up, x), None
    stride, padding = up.stride[0], int(up.padding[0])
    return upsampled(x * mask, up.weight, up.bias, stride, padding), mask.repeat_interleave(stride, 2)


def count_modules(state: Mapping[str, Tensor], prefix: str) -> int:
    """The number of numbered modules under `prefix`.

    Raises:
        KeyError: there are none.
    """
    numbers = {name.removeprefix(prefix).split(".")[0] for name in state if name.startswith(prefix)}
    if not numbers:
        raise KeyError(f"{prefix}0")
    return len(numbers)


def make_decoder(quality: Quality, speaker_channels: int) -> Decoder:
    """The decoder of a quality, made by `make` of the module that it names."""
    decoder: Decoder = import_module(f"{__name__}.{quality.decoder}").make(quality, speaker_channels)
    return decoder


def decoder_sizes(name: str, state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that follow from the weights of this decoder.

    Raises:
        KeyError: these are not the weights of this decoder.
    """
    sizes: dict[str, object] = import_module(f"{__name__}.{name}").sizes(state)
    return sizes
