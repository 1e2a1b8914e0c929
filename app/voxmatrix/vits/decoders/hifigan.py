"""The HiFi-GAN decoder from latent frames to the wave (Kong et al. 2020)."""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.tables.quality import Quality
from voxmatrix.vits.decoders import Decoder, count_modules, masked, upsample
from voxmatrix.vits.layers.gradient_checkpointing import CheckpointedModule
from voxmatrix.vits.layers.norm import weight_norm
from voxmatrix.vits.layers.rows import convolve

SLOPE = 0.1


class PairedBlock(CheckpointedModule):
    """Resblock "1": each dilated convolution is followed by an undilated one."""

    def __init__(self, channels: int, kernel: int, dilations: Sequence[int]) -> None:
        super().__init__()
        self.convs1 = nn.ModuleList(_same_conv(channels, kernel, dilation) for dilation in dilations)
        self.convs2 = nn.ModuleList(_same_conv(channels, kernel, 1) for _ in dilations)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, c, n), (b, 1, n) -> (b, c, n)."""
        for dilated, plain in zip(self.convs1, self.convs2, strict=True):
            hidden = convolve(dilated, masked(functional.leaky_relu(x, SLOPE), mask))
            x = x + convolve(plain, masked(functional.leaky_relu(hidden, SLOPE), mask))
        return x


class SingleBlock(CheckpointedModule):
    """Resblock "2": dilated convolutions only."""

    def __init__(self, channels: int, kernel: int, dilations: Sequence[int]) -> None:
        super().__init__()
        self.convs = nn.ModuleList(_same_conv(channels, kernel, dilation) for dilation in dilations)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, c, n), (b, 1, n) -> (b, c, n)."""
        for conv in self.convs:
            x = x + convolve(conv, masked(functional.leaky_relu(x, SLOPE), mask))
        return x


class Generator(Decoder):
    """Upsample in several steps; after each, average residual blocks of several kernel sizes.

    Weights keep torch's initialisation. HiFi-GAN's own (normal, 0.01) has no effect there either, because weight
    normalisation recomputes the weights from parameters that it does not touch.
    """

    def __init__(
        self,
        in_channels: int,
        *,
        resblock: str,
        resblock_kernels: Sequence[int],
        resblock_dilations: Sequence[Sequence[int]],
        upsample_rates: Sequence[int],
        upsample_channels: int,
        upsample_kernels: Sequence[int],
        speaker_channels: int = 0,
    ) -> None:
        super().__init__()
        block = PairedBlock if resblock == "1" else SingleBlock
        self.n_kernels = len(resblock_kernels)
        self.conv_pre = nn.Conv1d(in_channels, upsample_channels, 7, padding=3)
        self.ups = nn.ModuleList()
        self.resblocks = nn.ModuleList()
        channels = upsample_channels
        for rate, kernel in zip(upsample_rates, upsample_kernels, strict=True):
            up = nn.ConvTranspose1d(channels, channels // 2, kernel, rate, padding=(kernel - rate) // 2)
            self.ups.append(weight_norm(up))
            channels //= 2
            for size, dilations in zip(resblock_kernels, resblock_dilations, strict=True):
                self.resblocks.append(block(channels, size, dilations))
        self.conv_post = nn.Conv1d(channels, 1, 7, padding=3, bias=False)
        if speaker_channels:
            self.cond = nn.Conv1d(speaker_channels, upsample_channels, 1)

    def forward(self, z: Tensor, speaker: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """(b, c, f), (b, speaker_channels, 1), (b, 1, f) -> wave (b, 1, f * hop)."""
        x = convolve(self.conv_pre, masked(z, mask))
        if speaker is not None:
            x = x + self.cond(speaker)
        for step, up in enumerate(self.ups):
            x, mask = upsample(up, functional.leaky_relu(x, SLOPE), mask)
            first = step * self.n_kernels
            total = self.resblocks[first](x, mask)
            for block in self.resblocks[first + 1 : first + self.n_kernels]:
                total = total + block(x, mask)
            x = total / self.n_kernels
        x = masked(functional.leaky_relu(x), mask)  # with torch's default slope, 0.01
        return torch.tanh(convolve(self.conv_post, x))

    @property
    def margin(self) -> int:
        """Frames on either side of a frame that its samples depend on: half of every kernel at its rate."""
        frames, rate = float(_half(self.conv_pre)), 1
        for step, up in enumerate(self.ups):
            assert isinstance(up, nn.ConvTranspose1d)
            frames += up.kernel_size[0] / up.stride[0] / rate
            rate *= up.stride[0]
            blocks = self.resblocks[step * self.n_kernels :][: self.n_kernels]
            widest = max(sum(map(_half, filter(_is_convolution, block.modules()))) for block in blocks)
            frames += widest / rate
        return math.ceil(frames + _half(self.conv_post) / rate)


def make(quality: Quality, speaker_channels: int) -> Generator:
    """The generator of a quality."""
    return Generator(
        quality.inter_channels,
        resblock=quality.resblock,
        resblock_kernels=quality.resblock_kernels,
        resblock_dilations=quality.resblock_dilations,
        upsample_rates=quality.upsample_rates,
        upsample_channels=quality.upsample_channels,
        upsample_kernels=quality.upsample_kernels,
        speaker_channels=speaker_channels,
    )


def sizes(state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that follow from a checkpoint's weights.

    Raises:
        KeyError: these are not the weights of a HiFi-GAN.
    """
    upsamplings = count_modules(state, "dec.ups.")
    blocks = "convs1" if "dec.resblocks.0.convs1.0.bias" in state else "convs"
    kernels = range(count_modules(state, "dec.resblocks.") // upsamplings)
    return {
        "resblock": "1" if blocks == "convs1" else "2",
        "resblock_kernels": tuple(state[f"dec.resblocks.{block}.{blocks}.0.weight_v"].size(2) for block in kernels),
        "upsample_kernels": tuple(state[f"dec.ups.{step}.weight_v"].size(2) for step in range(upsamplings)),
        "upsample_channels": state["dec.conv_pre.weight"].size(0),
    }


def _same_conv(channels: int, kernel: int, dilation: int) -> nn.Conv1d:
    padding = (kernel - 1) * dilation // 2
    conv = nn.Conv1d(channels, channels, kernel, dilation=dilation, padding=padding)
    weight_norm(conv)
    return conv


def _is_convolution(module: nn.Module) -> bool:
    return isinstance(module, nn.Conv1d)


def _half(convolution: nn.Module) -> int:
    """Places on either side that a convolution sees: it keeps the length, so that is its padding."""
    assert isinstance(convolution, nn.Conv1d)
    return int(convolution.padding[0])
