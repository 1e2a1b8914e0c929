"""From latent frames to the wave: one decoder a module, chosen by the column `decoder` of qualities.toml."""

from abc import abstractmethod
from collections.abc import Mapping
from importlib import import_module

from torch import Tensor, nn

from voxmatrix.tables.quality import Quality


class Decoder(nn.Module):
    """Turns latent frames into samples, HOP of them a frame."""

    @property
    @abstractmethod
    def margin(self) -> int:
        """Frames on either side of a frame that its samples depend on."""

    @abstractmethod
    def forward(self, z: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Latent frames (b, c, f), the speaker's embedding (b, speaker_channels, 1) -> samples (b, 1, f * HOP)."""


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
