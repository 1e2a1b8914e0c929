"""Non-causal gated convolutions (WaveNet), conditioned on the speaker."""

import torch
from torch import Tensor, nn

from voxmatrix.voice.layers.gradient_checkpointing import CheckpointedModule
from voxmatrix.voice.layers.norm import weight_norm


class WaveNet(CheckpointedModule):
    """A stack of gated convolutions with residual and skip connections."""

    def __init__(self, channels: int, kernel: int, n_layers: int, speaker_channels: int = 0) -> None:
        super().__init__()
        self.channels = channels
        self.in_layers = nn.ModuleList()
        self.res_skip_layers = nn.ModuleList()
        if speaker_channels:
            self.cond_layer = weight_norm(nn.Conv1d(speaker_channels, 2 * channels * n_layers, 1))
        for layer in range(n_layers):
            out_channels = channels if layer == n_layers - 1 else 2 * channels  # the last layer has no residual
            self.in_layers.append(weight_norm(nn.Conv1d(channels, 2 * channels, kernel, padding=kernel // 2)))
            self.res_skip_layers.append(weight_norm(nn.Conv1d(channels, out_channels, 1)))

    def forward(self, x: Tensor, mask: Tensor, speaker: Tensor | None = None) -> Tensor:
        """(b, c, f), (b, 1, f), (b, speaker_channels, 1) -> (b, c, f)."""
        conditions = None if speaker is None else self.cond_layer(speaker).chunk(len(self.in_layers), dim=1)
        total: Tensor | None = None
        for layer, (conv, res_skip) in enumerate(zip(self.in_layers, self.res_skip_layers, strict=True)):
            hidden = conv(x) if conditions is None else conv(x) + conditions[layer]  # (b, 2c, f)
            signal, gate = hidden.chunk(2, dim=1)
            out = res_skip(torch.tanh(signal) * torch.sigmoid(gate))
            if layer == len(self.in_layers) - 1:
                total = out if total is None else total + out
                break
            residual, skip = out.chunk(2, dim=1)
            x = (x + residual) * mask
            total = skip if total is None else total + skip
        assert total is not None
        return total * mask
