"""Non-causal gated convolutions (WaveNet), conditioned on the speaker."""

import torch
from torch import Tensor, nn

from voxmatrix.vits.layers.gradient_checkpointing import CheckpointedModule
from voxmatrix.vits.layers.norm import weight_norm
from voxmatrix.vits.layers.rows import Convolve, convolve_rows, suits_rows


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
        convolve: Convolve = nn.Module.__call__
        channels = 1
        if in_rows := self.training and suits_rows(x):
            x, mask, channels, convolve = x.mT, mask.mT, 2, convolve_rows
            conditions = None if conditions is None else [one.mT for one in conditions]
        total: Tensor | None = None
        for layer, (conv, res_skip) in enumerate(zip(self.in_layers, self.res_skip_layers, strict=True)):
            hidden = convolve(conv, x)  # (b, 2c, f), or in rows (b, f, 2c)
            if conditions is not None:
                hidden = hidden + conditions[layer]
            signal, gate = hidden.chunk(2, channels)
            out = convolve(res_skip, torch.tanh(signal) * torch.sigmoid(gate))
            if layer == len(self.in_layers) - 1:
                total = out if total is None else total + out
                break
            residual, skip = out.chunk(2, channels)
            x = (x + residual) * mask
            total = skip if total is None else total + skip
        assert total is not None
        return (total * mask).mT if in_rows else total * mask
