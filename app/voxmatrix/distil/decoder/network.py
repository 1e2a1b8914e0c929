"""The fast network: a decoder that ends in an inverse Fourier transform, on the latent frames of the original."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from voxmatrix.distil.decoder.corpus import CorpusSentence
from voxmatrix.tables.quality import quality
from voxmatrix.vits.decoders import make_decoder
from voxmatrix.vits.decoders.istft import WINDOW_HOPS, FourierDecoder
from voxmatrix.vits.layers.norm import remove_weight_norm

Weights = Mapping[str, NDArray[np.float32]]
#: The quality that has the decoder.
_LIKE = "fast"


class FastDecoder(nn.Module):
    """From latent frames to samples. Its weights have the names that they have in a voice."""

    def __init__(self, original: Weights) -> None:
        """A network for the latent frames and speakers of this decoder; `copy_weights` lets it start from that."""
        super().__init__()
        speaker = original.get("dec.cond.weight")
        channels = original["dec.conv_pre.weight"].shape[1]
        row = replace(quality(_LIKE), inter_channels=channels)
        decoder = make_decoder(row, 0 if speaker is None else speaker.shape[1])
        assert isinstance(decoder, FourierDecoder)
        self.dec = decoder
        remove_weight_norm(self)

    def forward(self, latent: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Latent frames (b, c, f), embedding (b, s, 1) -> samples (b, 1, f * HOP)."""
        samples: Tensor = self.dec(latent, speaker)
        return samples

    def speak(self, one: CorpusSentence) -> Tensor:
        """The samples for the frames of an utterance: (1, 1, n), on the device of the weights."""
        device = self.dec.conv_pre.weight.device
        latent, speaker = (torch.from_numpy(each.astype(np.float32)).to(device) for each in (one.latent, one.speaker))
        samples: Tensor = self(latent[None], speaker.reshape(1, -1, 1) if one.speaker.size else None)
        return samples


def copy_weights(student: FastDecoder, original: Weights) -> None:
    """Start from the weights of the original where shapes allow."""
    offered = {name: torch.from_numpy(array) for name, array in original.items()}
    offered |= _blocks(student.dec, offered)
    with torch.no_grad():
        for name, parameter in student.named_parameters():
            value = offered.get(name)
            if value is not None and value.shape == parameter.shape:
                parameter.copy_(value)


def set_levels(student: FastDecoder, waves: Tensor) -> None:
    """Let the head begin with the mean spectrum of speech (b, n), so that it need not learn it."""
    length = WINDOW_HOPS * student.dec.hop
    spectra = torch.stft(waves, length, student.dec.hop, window=torch.hann_window(length), return_complex=True)
    bias = student.dec.head.magnitude.bias
    assert bias is not None
    with torch.no_grad():
        bias.copy_(spectra.abs().clamp_min(1e-4).log().mean((0, 2)))


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
