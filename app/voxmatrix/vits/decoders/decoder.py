"""What every decoder is."""

from abc import abstractmethod
from collections.abc import Mapping

from torch import Tensor, nn


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
