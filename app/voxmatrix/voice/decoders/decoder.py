"""What every decoder is."""

from abc import abstractmethod

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
