"""From latent frames to the wave: one decoder a module, chosen by the column `decoder` of qualities.toml."""

from collections.abc import Mapping
from importlib import import_module

from torch import Tensor

from voxmatrix.tables.quality import Quality
from voxmatrix.vits.decoders.decoder import Decoder


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
