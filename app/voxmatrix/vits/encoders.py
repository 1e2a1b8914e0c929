"""The encoders: from symbols to the prior, and from the spectrum of a recording to the posterior (training only)."""

import math

import torch
from torch import Tensor, nn

from voxmatrix.vits.layers.attention import Encoder
from voxmatrix.vits.layers.masks import sequence_mask
from voxmatrix.vits.layers.rows import convolve
from voxmatrix.vits.layers.wavenet import WaveNet


class TextEncoder(nn.Module):
    """Embedding, transformer, and a projection to mean and log-scale."""

    def __init__(
        self,
        num_symbols: int,
        *,
        out_channels: int,
        hidden_channels: int,
        filter_channels: int,
        n_heads: int,
        n_layers: int,
        kernel: int = 3,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.scale = math.sqrt(hidden_channels)
        self.emb = nn.Embedding(num_symbols, hidden_channels)
        nn.init.normal_(self.emb.weight, 0.0, 1.0 / self.scale)
        self.encoder = Encoder(
            hidden_channels,
            filter_channels=filter_channels,
            n_heads=n_heads,
            n_layers=n_layers,
            kernel=kernel,
            dropout=dropout,
        )
        self.proj = nn.Conv1d(hidden_channels, 2 * out_channels, 1)

    def forward(self, text: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """(b, t) ids -> hidden (b, hidden, t), mean and log-scale (b, c, t), mask (b, 1, t)."""
        x = (self.emb(text) * self.scale).transpose(1, 2)  # (b, t, hidden) -> (b, hidden, t)
        mask = sequence_mask(lengths, text.size(1))
        x = self.encoder(x, mask)
        mean, log_scale = torch.chunk((convolve(self.proj, x) * mask).float(), 2, dim=1)
        return x, mean, log_scale, mask


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
        x = self.enc(convolve(self.pre, spec) * mask, mask, speaker)
        mean, log_scale = torch.chunk((convolve(self.proj, x) * mask).float(), 2, dim=1)
        z = (mean + torch.randn_like(mean) * torch.exp(log_scale)) * mask
        return z, mean, log_scale
