"""Self-attention with relative positions (Shaw et al. 2018), and an encoder built from it."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.vits.layers.constants import WINDOW
from voxmatrix.vits.layers.gradient_checkpointing import CheckpointedModule
from voxmatrix.vits.layers.norm import ChannelNorm
from voxmatrix.vits.layers.rows import convolve


class RelativeAttention(nn.Module):
    """Attention with embeddings for the distances -WINDOW..WINDOW, shared by the heads."""

    def __init__(self, channels: int, n_heads: int, dropout: float) -> None:
        super().__init__()
        self.n_heads = n_heads
        head_channels = channels // n_heads
        self.emb_rel_k = nn.Parameter(torch.randn(1, 2 * WINDOW + 1, head_channels) * head_channels**-0.5)
        self.emb_rel_v = nn.Parameter(torch.randn(1, 2 * WINDOW + 1, head_channels) * head_channels**-0.5)
        self.conv_q = nn.Conv1d(channels, channels, 1)
        self.conv_k = nn.Conv1d(channels, channels, 1)
        self.conv_v = nn.Conv1d(channels, channels, 1)
        self.conv_o = nn.Conv1d(channels, channels, 1)
        self.drop = nn.Dropout(dropout)
        for projection in (self.conv_q, self.conv_k, self.conv_v):
            nn.init.xavier_uniform_(projection.weight)

    def forward(self, x: Tensor, pair_mask: Tensor) -> Tensor:
        """(b, c, t), (b, 1, t, t) -> (b, c, t)."""
        q, k, v = (self._heads(convolve(projection, x)) for projection in (self.conv_q, self.conv_k, self.conv_v))
        q = q / math.sqrt(q.size(-1))
        scores = q @ k.transpose(-1, -2)  # (b, heads, t, t)
        scores = scores + distances_to_pairs(q @ self.emb_rel_k.transpose(-1, -2))
        scores = scores.float().masked_fill(pair_mask == 0, -1e4)
        weights = self.drop(scores.softmax(-1))
        values = weights @ v + pairs_to_distances(weights) @ self.emb_rel_v  # (b, heads, t, head_channels)
        return convolve(self.conv_o, values.transpose(1, 2).flatten(2).transpose(1, 2))

    def _heads(self, x: Tensor) -> Tensor:
        """(b, c, t) -> (b, heads, t, head_channels)."""
        return x.view(x.size(0), self.n_heads, -1, x.size(2)).transpose(2, 3)


def distances_to_pairs(near: Tensor) -> Tensor:
    """Spread each symbol's row of 2·WINDOW+1 distances over the diagonals: (b, heads, t, 9) -> (b, heads, t, t).

    Padding the rows to t + 9 and viewing them as rows of t + 8 shifts each row by one, without an index or a loop.
    """
    b, heads, t, _ = near.shape
    rows = functional.pad(near, (0, t)).flatten(2)  # (b, heads, t * (t + 9))
    skewed = rows[..., : t * (t + 2 * WINDOW)].reshape(b, heads, t, t + 2 * WINDOW)
    return skewed[..., WINDOW : WINDOW + t]


def pairs_to_distances(pairs: Tensor) -> Tensor:
    """The reverse: gather the 2·WINDOW+1 central diagonals into rows: (b, heads, t, t) -> (b, heads, t, 9)."""
    b, heads, t, _ = pairs.shape
    rows = functional.pad(functional.pad(pairs, (WINDOW, WINDOW)).flatten(2), (0, t))  # (b, heads, t * (t + 9))
    return rows.view(b, heads, t, t + 2 * WINDOW + 1)[..., : 2 * WINDOW + 1]


class FeedForward(nn.Module):
    """Two convolutions along the symbols."""

    def __init__(self, channels: int, filter_channels: int, kernel: int, dropout: float) -> None:
        super().__init__()
        self.conv_1 = nn.Conv1d(channels, filter_channels, kernel, padding=kernel // 2)
        self.conv_2 = nn.Conv1d(filter_channels, channels, kernel, padding=kernel // 2)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(b, c, t), (b, 1, t) -> (b, c, t)."""
        x = self.drop(functional.relu(convolve(self.conv_1, x * mask)))
        return convolve(self.conv_2, x * mask) * mask


class Encoder(CheckpointedModule):
    """A transformer encoder: alternating attention and feed-forward, each with a residual and post-normalisation."""

    uses_random_numbers = True

    def __init__(
        self, channels: int, *, filter_channels: int, n_heads: int, n_layers: int, kernel: int, dropout: float
    ) -> None:
        super().__init__()
        layers = range(n_layers)
        self.drop = nn.Dropout(dropout)
        self.attn_layers = nn.ModuleList(RelativeAttention(channels, n_heads, dropout) for _ in layers)
        self.norm_layers_1 = nn.ModuleList(ChannelNorm(channels) for _ in layers)
        self.ffn_layers = nn.ModuleList(FeedForward(channels, filter_channels, kernel, dropout) for _ in layers)
        self.norm_layers_2 = nn.ModuleList(ChannelNorm(channels) for _ in layers)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """(b, c, t), (b, 1, t) -> (b, c, t)."""
        pair_mask = mask.unsqueeze(2) * mask.unsqueeze(-1)  # (b, 1, t, t)
        x = x * mask
        for attention, norm_1, feed_forward, norm_2 in zip(
            self.attn_layers, self.norm_layers_1, self.ffn_layers, self.norm_layers_2, strict=True
        ):
            x = _normed(norm_1, x + self.drop(attention(x, pair_mask)))
            x = _normed(norm_2, x + self.drop(feed_forward(x, mask)))
        return x * mask


def _normed(norm: nn.Module, x: Tensor) -> Tensor:
    """(b, c, t) -> (b, c, t)."""
    return norm(x.transpose(1, 2)).transpose(1, 2)  # type: ignore[no-any-return]
