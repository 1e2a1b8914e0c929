"""Discriminators between recorded and generated waves: one on the wave, five on periods of it (HiFi-GAN).

Activations are in place: their gradient follows from their output, so the output of the convolution need not be kept.
"""

from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.vits.layers.norm import weight_norm
from voxmatrix.vits.layers.rows import Convolve, convolve_rows, suits_rows

SLOPE = 0.1
PERIODS = (2, 3, 5, 7, 11)
#: Groups of a convolution that become one: 4 of them have the 16 channels of a tensor core's tile.
_MERGED = 4


class ScaleDiscriminator(nn.Module):
    """A discriminator on the raw wave, with wide grouped convolutions."""

    def __init__(self, divisor: int = 1) -> None:
        super().__init__()
        widths = [1, *(width // divisor for width in (16, 64, 256, 1024, 1024))]
        self.convs = nn.ModuleList([weight_norm(nn.Conv1d(1, widths[1], 15, padding=7))])
        for before, after in pairwise(widths[1:]):
            groups = max(1, before // 4)
            self.convs.append(weight_norm(nn.Conv1d(before, after, 41, 4, padding=20, groups=groups)))
        self.convs.append(weight_norm(nn.Conv1d(widths[-1], widths[-1], 5, padding=2)))
        self.conv_post = weight_norm(nn.Conv1d(widths[-1], 1, 3, padding=1))

    def forward(self, wave: Tensor) -> tuple[Tensor, list[Tensor]]:
        """(b, 1, n) -> score (b, positions), features of each layer (b, c, positions)."""
        x, features = wave, []
        for conv in self.convs:
            x = functional.leaky_relu(_convolve_groups(conv, x), SLOPE, inplace=True)
            features.append(x)
        score = self.conv_post(x)
        return score.flatten(1), [*features, score]


def _convolve_groups(conv: nn.Module, x: Tensor) -> Tensor:
    """The same as `conv`. On a GPU, groups become one, with zeros in its weight: cuDNN computes one after the other."""
    assert isinstance(conv, nn.Conv1d)
    if x.device.type == "cpu" or conv.groups % _MERGED:
        return conv(x)  # type: ignore[no-any-return]
    weight = merged(conv.weight, conv.groups)
    return functional.conv1d(x, weight, conv.bias, conv.stride, conv.padding, groups=conv.groups // _MERGED)


def merged(weight: Tensor, groups: int) -> Tensor:
    """The weight of the same convolution with a quarter of the groups: (d, c, taps) -> (d, 4 c, taps)."""
    outputs, inputs, taps = weight.shape
    separate = weight.view(-1, _MERGED, outputs // groups, 1, inputs, taps)
    own = torch.eye(_MERGED, device=weight.device).view(_MERGED, 1, _MERGED, 1, 1)
    return (separate * own).view(outputs, _MERGED * inputs, taps)


class PeriodDiscriminator(nn.Module):
    """A discriminator on the wave folded into `period` columns, each convolved separately."""

    def __init__(self, period: int, divisor: int = 1) -> None:
        super().__init__()
        self.period = period
        widths = [1, *(width // divisor for width in (32, 128, 512, 1024, 1024))]
        self.convs = nn.ModuleList(
            weight_norm(nn.Conv2d(before, after, (5, 1), (stride, 1), padding=(2, 0)))
            for (before, after), stride in zip(pairwise(widths), (3, 3, 3, 3, 1), strict=True)
        )
        self.conv_post = weight_norm(nn.Conv2d(widths[-1], 1, (3, 1), 1, padding=(1, 0)))

    def forward(self, wave: Tensor) -> tuple[Tensor, list[Tensor]]:
        """(b, 1, n) -> score (b, positions), features of each layer (b, c, positions, period) or, in rows,
        (b * period, positions, c)."""
        x = functional.pad(wave, (0, -wave.size(2) % self.period), "reflect")
        x, features = x.view(x.size(0), 1, -1, self.period), []  # (b, 1, n / period, period)
        convolve: Convolve = nn.Module.__call__
        if in_rows := self.training and suits_rows(x):
            x, convolve = x.permute(0, 3, 2, 1).flatten(0, 1), convolve_rows
        for conv in self.convs:
            x = functional.leaky_relu(convolve(conv, x), SLOPE, inplace=True)
            features.append(x)
        score = convolve(self.conv_post, x)
        features.append(score)
        if in_rows:
            score = score.view(-1, self.period, score.size(1)).transpose(1, 2)
        return score.flatten(1), features


class MultiPeriodDiscriminator(nn.Module):
    """All six discriminators. Weights are constant within a step, so recorded and generated waves may share a call."""

    def __init__(self, divisor: int = 1) -> None:
        super().__init__()
        self.discriminators = nn.ModuleList(
            [ScaleDiscriminator(divisor), *(PeriodDiscriminator(period, divisor) for period in PERIODS)]
        )

    def forward(self, wave: Tensor) -> tuple[list[Tensor], list[list[Tensor]]]:
        """(b, 1, n) -> six scores (b, positions), six lists of features."""
        results = [discriminator(wave) for discriminator in self.discriminators]
        return [score for score, _ in results], [features for _, features in results]
