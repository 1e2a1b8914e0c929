"""The flow between the latent space of the posterior and that of the prior (Dinh et al. 2017)."""

import torch
from torch import Tensor, nn

from voxmatrix.vits.layers.rows import convolve
from voxmatrix.vits.layers.wavenet import WaveNet


class Flip(nn.Module):
    """Reverse the channels, so that the next coupling changes the other half."""

    def forward(self, x: Tensor, mask: Tensor, speaker: Tensor | None = None, *, reverse: bool = False) -> Tensor:
        """(b, c, f) -> (b, c, f)."""
        return x.flip(1)


class Coupling(nn.Module):
    """Shift one half of the channels by a function of the other half (volume-preserving)."""

    def __init__(self, channels: int, hidden_channels: int, n_layers: int, speaker_channels: int) -> None:
        super().__init__()
        half = channels // 2
        self.pre = nn.Conv1d(half, hidden_channels, 1)
        self.enc = WaveNet(hidden_channels, 5, n_layers, speaker_channels)
        self.post = nn.Conv1d(hidden_channels, half, 1)
        nn.init.zeros_(self.post.weight)  # starts as the identity
        assert self.post.bias is not None
        nn.init.zeros_(self.post.bias)

    def forward(self, x: Tensor, mask: Tensor, speaker: Tensor | None = None, *, reverse: bool = False) -> Tensor:
        """(b, c, f), (b, 1, f) -> (b, c, f)."""
        fixed, moved = x.chunk(2, dim=1)
        shift = convolve(self.post, self.enc(convolve(self.pre, fixed) * mask, mask, speaker)) * mask
        moved = (moved - shift if reverse else moved + shift) * mask
        return torch.cat([fixed, moved], 1)


class Flow(nn.Module):
    """Couplings with a flip after each; the parameters are at flows.0, 2, 4, 6."""

    def __init__(
        self, channels: int, hidden_channels: int, speaker_channels: int, n_layers: int = 4, n_flows: int = 4
    ) -> None:
        super().__init__()
        self.flows = nn.ModuleList()
        for _ in range(n_flows):
            self.flows.append(Coupling(channels, hidden_channels, n_layers, speaker_channels))
            self.flows.append(Flip())

    @property
    def margin(self) -> int:
        """Frames on either side of a frame that the latent frame depends on."""
        return sum(conv.kernel_size[0] // 2 for conv in self.modules() if isinstance(conv, nn.Conv1d))

    def forward(self, x: Tensor, mask: Tensor, speaker: Tensor | None = None, *, reverse: bool = False) -> Tensor:
        """Map z to the space of the prior, or back if `reverse`: (b, c, f) -> (b, c, f)."""
        for step in reversed(self.flows) if reverse else self.flows:
            x = step(x, mask, speaker, reverse=reverse)
        return x
