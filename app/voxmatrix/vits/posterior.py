"""The posterior encoder, from the spectrum of a recording to the input of the generator (training only)."""

import torch
from torch import Tensor, nn

from voxmatrix.vits.layers.wavenet import WaveNet


class PosteriorEncoder(nn.Module):
    """Linear spectrum -> a normal distribution for each frame, and a sample of it."""

    def __init__(
        self, spec_bins: int, out_channels: int, hidden_channels: int, n_layers: int, speaker_channels: int
    ) -> None:
        super().__init__()
        self.pre = nn.Conv1d(spec_bins, hidden_channels, 1)
        self.enc = WaveNet(hidden_channels, 5, n_layers, speaker_channels)
        self.proj = nn.Conv1d(hidden_channels, 2 * out_channels, 1)

    def forward(self, spec: Tensor, mask: Tensor, speaker: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """(b, bins, f), (b, 1, f) -> sample z, mean, log-scale, each (b, c, f)."""
        x = self.enc(self.pre(spec) * mask, mask, speaker)
        mean, log_scale = torch.chunk((self.proj(x) * mask).float(), 2, dim=1)
        z = (mean + torch.randn_like(mean) * torch.exp(log_scale)) * mask
        return z, mean, log_scale
