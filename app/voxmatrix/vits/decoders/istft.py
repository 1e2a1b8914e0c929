"""A decoder that ends in an inverse Fourier transform (iSTFTNet, Kaneko et al. 2022, arXiv 2203.02395).

The first upsampling of HiFi-GAN with its residual blocks, two more convolutions, and two heads that predict spectra:
one of short windows, and one of longer windows for the lowest frequencies only, whose errors decide about the pitch.
A head predicts real and imaginary parts, times a magnitude. Unlike a phase, they do not jump when a wave has gone
round once. The inverse transform and its overlapping windows are one transposed convolution each for the real and
imaginary parts, so that every ONNX runtime computes it, and in segments.
"""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.audio.spectrum import without_autocast
from voxmatrix.tables.quality import HOP, Quality
from voxmatrix.vits.decoders import Decoder, count_modules, masked, upsample, upsampled
from voxmatrix.vits.decoders.hifigan import SLOPE, PairedBlock, SingleBlock
from voxmatrix.vits.layers.norm import weight_norm
from voxmatrix.vits.layers.rows import suits_rows

#: The window of the short spectra, in hops: enough for a Hann window to overlap evenly.
WINDOW_HOPS = 4
#: The window of the low frequencies, in hops, and how many of its lowest bins are predicted: up to 1.1 kHz, with hops
#: of 32 samples at 22.05 kHz. It is as long as a period of a low voice, of which the short window sees a half.
LOW_WINDOW_HOPS, LOW_BINS = 8, 14
#: Residual convolutions after the upsampling, and their kernel, which is also that of the head.
TRUNK_LAYERS, TRUNK_KERNEL = 2, 3
#: Largest log-magnitude. A full-scale sine has a magnitude of a quarter of the window.
_MAX = 6.0
#: Log-magnitude of quiet speech, with which an untrained head starts.
_QUIET = -3.0


class SpectralHead(nn.Module):
    """Predicts the lowest bins of spectra, and transforms them to samples."""

    real: Tensor
    imaginary: Tensor

    def __init__(self, channels: int, *, hop: int, window_hops: int, bins: int) -> None:
        """Spectra are `hop` samples apart, and their windows `window_hops` times as long."""
        super().__init__()
        self.hop, self._window_hops = hop, window_hops
        self.magnitude = _conv(channels, bins)
        self.real_part = _conv(channels, bins)
        self.imaginary_part = _conv(channels, bins)
        assert self.magnitude.bias is not None
        nn.init.constant_(self.magnitude.bias, _QUIET)
        real, imaginary = _inverse_transform(hop, window_hops, bins)
        self.register_buffer("real", real)
        self.register_buffer("imaginary", imaginary)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """(b, channels, n), (b, 1, n) -> (b, 1, n * hop)."""
        magnitude, real, imaginary = self._predict(masked(x, mask))
        with without_autocast(x):  # half precision has too few steps for a sum of 65 loud and quiet waves
            magnitude = masked(torch.exp(magnitude.float().clamp_max(_MAX)), mask)
            return self.samples(magnitude * real.float(), magnitude * imaginary.float())

    def _predict(self, x: Tensor) -> Sequence[Tensor]:
        """Log-magnitude, real and imaginary parts: (b, bins, n) each."""
        parts = self.magnitude, self.real_part, self.imaginary_part
        if not suits_rows(x):
            return [part(x) for part in parts]
        # In training, one convolution takes three quarters of the time of three.
        weight, bias = (torch.cat([getattr(part, name) for part in parts]) for name in ("weight", "bias"))
        return functional.conv1d(x, weight, bias, padding=TRUNK_KERNEL // 2).chunk(3, 1)

    def samples(self, real: Tensor, imaginary: Tensor) -> Tensor:
        """Transform spectra, and overlap and add them: two of (b, bins, n) -> (b, 1, n * hop)."""
        padding = (self._window_hops - 1) * self.hop // 2
        if suits_rows(real):
            # As rows it takes a quarter of the time: oneDNN is slow where a convolution makes one channel.
            inverse = torch.cat([self.real, self.imaginary]).squeeze(1)
            windows = torch.cat([real, imaginary], 1).transpose(1, 2) @ inverse
            hops, overlaps = torch.split(windows, self.hop, 2), self._window_hops - 1
            shifted = [functional.pad(part, (0, 0, place, overlaps - place)) for place, part in enumerate(hops)]
            return torch.stack(shifted).sum(0).flatten(1)[:, None, padding : padding + real.size(2) * self.hop]
        if not (real.is_cpu or torch.is_grad_enabled()):
            inverse = torch.cat([self.real, self.imaginary])
            return upsampled(torch.cat([real, imaginary], 1), inverse, None, self.hop, padding)
        both = zip((real, imaginary), (self.real, self.imaginary), strict=True)
        one, other = (functional.conv_transpose1d(*part, stride=self.hop, padding=padding) for part in both)
        return one + other


class FourierDecoder(Decoder):
    """Upsample once, average residual blocks of several kernel sizes, and transform predicted spectra to samples."""

    def __init__(
        self,
        in_channels: int,
        *,
        resblock: str,
        resblock_kernels: Sequence[int],
        resblock_dilations: Sequence[Sequence[int]],
        upsample_rate: int,
        upsample_channels: int,
        upsample_kernel: int,
        fourier_hop: int,
        speaker_channels: int = 0,
    ) -> None:
        super().__init__()
        block = PairedBlock if resblock == "1" else SingleBlock
        channels = upsample_channels // 2
        self.hop = fourier_hop
        self.conv_pre = nn.Conv1d(in_channels, upsample_channels, 7, padding=3)
        padding = (upsample_kernel - upsample_rate) // 2
        up = nn.ConvTranspose1d(upsample_channels, channels, upsample_kernel, upsample_rate, padding=padding)
        self.ups = nn.ModuleList([weight_norm(up)])
        self.resblocks = nn.ModuleList(
            block(channels, kernel, dilations)
            for kernel, dilations in zip(resblock_kernels, resblock_dilations, strict=True)
        )
        self.trunk = nn.ModuleList(weight_norm(_conv(channels, channels)) for _ in range(TRUNK_LAYERS))
        all_bins = WINDOW_HOPS * fourier_hop // 2 + 1
        self.head = SpectralHead(channels, hop=fourier_hop, window_hops=WINDOW_HOPS, bins=all_bins)
        self.low_head = SpectralHead(channels, hop=fourier_hop, window_hops=LOW_WINDOW_HOPS, bins=LOW_BINS)
        if speaker_channels:
            self.cond = nn.Conv1d(speaker_channels, upsample_channels, 1)

    def forward(self, z: Tensor, speaker: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """(b, c, f), (b, speaker_channels, 1), (b, 1, f) -> wave (b, 1, f * HOP)."""
        x = self.conv_pre(masked(z, mask))
        if speaker is not None:
            x = x + self.cond(speaker)
        x, mask = upsample(self.ups[0], functional.leaky_relu(x, SLOPE), mask)
        total = self.resblocks[0](x, mask)
        for block in self.resblocks[1:]:
            total = total + block(x, mask)
        x = total / len(self.resblocks)
        for conv in self.trunk:
            x = x + conv(masked(functional.leaky_relu(x, SLOPE), mask))
        x = functional.leaky_relu(x, SLOPE)
        samples: Tensor = self.head(x, mask) + self.low_head(x, mask)
        return samples

    @property
    def margin(self) -> int:
        """Frames on either side of a frame that its samples depend on."""
        up = self.ups[0]
        assert isinstance(up, nn.ConvTranspose1d)
        rate = up.stride[0]
        convolutions = [[c for c in block.modules() if isinstance(c, nn.Conv1d)] for block in self.resblocks]
        widest = max(sum(int(c.padding[0]) for c in block) for block in convolutions)
        after = widest + (TRUNK_LAYERS + 1) * (TRUNK_KERNEL // 2) + LOW_WINDOW_HOPS
        return math.ceil(3 + (up.kernel_size[0] / rate) + after / rate)


def make(quality: Quality, speaker_channels: int) -> FourierDecoder:
    """The decoder of a quality."""
    (rate,), (kernel,) = quality.upsample_rates, quality.upsample_kernels
    return FourierDecoder(
        quality.inter_channels,
        resblock=quality.resblock,
        resblock_kernels=quality.resblock_kernels,
        resblock_dilations=quality.resblock_dilations,
        upsample_rate=rate,
        upsample_channels=quality.upsample_channels,
        upsample_kernel=kernel,
        fourier_hop=quality.fourier_hop,
        speaker_channels=speaker_channels,
    )


def sizes(state: Mapping[str, Tensor]) -> dict[str, object]:
    """The columns of qualities.toml that follow from a checkpoint's weights.

    Raises:
        KeyError: these are not the weights of this decoder.
    """
    hop = 2 * (state["dec.head.magnitude.weight"].size(0) - 1) // WINDOW_HOPS
    blocks = "convs1" if "dec.resblocks.0.convs1.0.bias" in state else "convs"
    kernels = range(count_modules(state, "dec.resblocks."))
    return {
        "resblock": "1" if blocks == "convs1" else "2",
        "resblock_kernels": tuple(state[f"dec.resblocks.{block}.{blocks}.0.weight_v"].size(2) for block in kernels),
        "upsample_rates": (HOP // hop,),
        "upsample_kernels": (state["dec.ups.0.weight_v"].size(2),),
        "upsample_channels": state["dec.conv_pre.weight"].size(0),
        "fourier_hop": hop,
    }


def _conv(in_channels: int, out_channels: int) -> nn.Conv1d:
    return nn.Conv1d(in_channels, out_channels, TRUNK_KERNEL, padding=TRUNK_KERNEL // 2)


def _inverse_transform(hop: int, window_hops: int, bins: int) -> tuple[Tensor, Tensor]:
    """Weights (bins, 1, window) from the real and imaginary parts of spectra with a Hann window to its samples."""
    length = window_hops * hop
    window = torch.hann_window(length, dtype=torch.float64)
    # Analysis and synthesis both have the window; its squares, a hop apart, have an even sum.
    window = window / window.square().reshape(window_hops, hop).sum(0).mean()
    angle = 2 * math.pi / length * torch.outer(torch.arange(bins), torch.arange(length)).double()
    weight = torch.full((bins, 1), 2.0 / length, dtype=torch.float64)
    weight[0] = 1.0 / length
    weight[length // 2 :] = 1.0 / length
    real, imaginary = weight * torch.cos(angle) * window, -weight * torch.sin(angle) * window
    return real.float().unsqueeze(1), imaginary.float().unsqueeze(1)
