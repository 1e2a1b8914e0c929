"""The text encoder, from symbols to the prior: mean and log-scale of the latent frames of each symbol."""

import math

import torch
from torch import Tensor, nn

from voxmatrix.vits.layers.attention import Encoder
from voxmatrix.vits.layers.masks import sequence_mask


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
        mean, log_scale = torch.chunk((self.proj(x) * mask).float(), 2, dim=1)
        return x, mean, log_scale, mask
