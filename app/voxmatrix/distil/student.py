"""The fast network: a flow with half the layers, and a decoder that ends in an inverse Fourier transform."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from voxmatrix.tables.quality import HOP, quality
from voxmatrix.voice.decoders.istft import FourierDecoder
from voxmatrix.voice.flow import Coupling, Flow
from voxmatrix.voice.layers.norm import remove_weight_norm

Weights = Mapping[str, NDArray[np.float32]]
#: Layers of each WaveNet in the flow (Piper has four), and the reach of its kernels on either side.
FLOW_LAYERS, _FLOW_REACH = 2, 2
#: The quality that has the decoder.
_LIKE = "fast"


@dataclass(frozen=True)
class Sizes:
    """What follows from the weights of the voice."""

    channels: int
    hidden_channels: int
    speaker_channels: int
    couplings: int

    @classmethod
    def of(cls, weights: Weights) -> "Sizes":
        """The sizes of the original.

        Raises:
            KeyError: a weight is missing.
        """
        first = weights["flow.flows.0.pre.weight"]
        cond = weights.get("dec.cond.weight")
        return cls(
            channels=weights["dec.conv_pre.weight"].shape[1],
            hidden_channels=first.shape[0],
            speaker_channels=0 if cond is None else cond.shape[1],
            couplings=sum(name.endswith(".pre.weight") and name.startswith("flow.") for name in weights),
        )


class Student(nn.Module):
    """From prior frames to samples."""

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        row = quality(_LIKE)
        (rate,), (kernel,) = row.upsample_rates, row.upsample_kernels
        self.flow = Flow(
            sizes.channels, sizes.hidden_channels, sizes.speaker_channels, n_layers=FLOW_LAYERS, n_flows=sizes.couplings
        )
        self.dec = FourierDecoder(
            sizes.channels,
            resblock=row.resblock,
            resblock_kernels=row.resblock_kernels,
            resblock_dilations=row.resblock_dilations,
            upsample_rate=rate,
            upsample_channels=row.upsample_channels,
            upsample_kernel=kernel,
            fourier_hop=row.fourier_hop,
            speaker_channels=sizes.speaker_channels,
        )
        remove_weight_norm(self)

    @property
    def flow_margin(self) -> int:
        """Frames on either side of a latent frame that it depends on."""
        return len(self.flow.flows) // 2 * FLOW_LAYERS * _FLOW_REACH

    def latent(self, prior: Tensor, mask: Tensor, speaker: Tensor | None) -> Tensor:
        """Prior frames (b, c, f), mask (b, 1, f) -> latent frames (b, c, f)."""
        latent: Tensor = self.flow(prior, mask, speaker, reverse=True) * mask
        return latent

    def forward(self, prior: Tensor, mask: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Prior frames (b, c, f), mask (b, 1, f), embedding (b, s, 1) -> samples (b, 1, f * HOP)."""
        samples: Tensor = self.dec(self.latent(prior, mask, speaker), speaker)
        return samples


def copy_weights(student: Student, original: Weights) -> set[str]:
    """Start from the weights of the original where shapes allow. Returns the names of the copied ones."""
    wanted = dict(student.named_parameters())
    offered = {name: torch.from_numpy(array) for name, array in original.items()}
    for index, step in enumerate(student.flow.flows):
        if isinstance(step, Coupling):
            offered |= _shortened(offered, f"flow.flows.{index}.enc.")
    offered |= _blocks(student.dec, offered)
    copied = set()
    with torch.no_grad():
        for name, parameter in wanted.items():
            value = offered.get(name)
            if value is not None and value.shape == parameter.shape:
                parameter.copy_(value)
                copied.add(name)
    return copied


def set_levels(student: Student, waves: Tensor) -> None:
    """Let the head begin with the mean spectrum of speech (b, n), so that it need not learn it."""
    length = 4 * student.dec.hop
    spectra = torch.stft(waves, length, student.dec.hop, window=torch.hann_window(length), return_complex=True)
    bias = student.dec.magnitude.bias
    assert bias is not None
    with torch.no_grad():
        bias.copy_(spectra.abs().clamp_min(1e-4).log().mean((0, 2)))


def frames_of(waves: Tensor) -> int:
    """The number of frames of samples (…, n)."""
    return waves.shape[-1] // HOP


def _shortened(weights: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The first layers of a WaveNet of the flow. The last one has no residual output, only the skip connection."""
    last, found = FLOW_LAYERS - 1, {}
    for kind in ("weight", "bias"):
        name = f"{prefix}res_skip_layers.{last}.{kind}"
        if name in weights and f"{prefix}res_skip_layers.{last + 1}.{kind}" in weights:
            found[name] = weights[name].chunk(2)[1]
        condition = f"{prefix}cond_layer.{kind}"
        if condition in weights:
            layers = sum(one.startswith(f"{prefix}in_layers.") and one.endswith(kind) for one in weights)
            found[condition] = weights[condition][: len(weights[condition]) // max(1, layers) * FLOW_LAYERS]
    return found


def _blocks(decoder: FourierDecoder, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The original's first residual blocks that have the kernels of the student's, under the student's names."""
    found: dict[str, Tensor] = {}
    for place, block in enumerate(decoder.resblocks):
        first = next(module for module in block.modules() if isinstance(module, nn.Conv1d))
        for number in range(3):  # those of the first upsampling, in all of Piper's qualities
            prefix = f"dec.resblocks.{number}."
            kernel = weights.get(f"{prefix}convs.0.weight")
            if kernel is not None and kernel.shape == first.weight.shape:
                own = {name: value for name, value in weights.items() if name.startswith(prefix)}
                found |= {f"dec.resblocks.{place}.{name.removeprefix(prefix)}": value for name, value in own.items()}
    return found
