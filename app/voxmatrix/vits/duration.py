"""The distribution of symbol durations, as a normalising flow (VITS, section 2.2.2)."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.audio.spectrum import without_autocast
from voxmatrix.vits.layers.constants import BINS
from voxmatrix.vits.layers.gradient_checkpointing import CheckpointedModule
from voxmatrix.vits.layers.noise import normal
from voxmatrix.vits.layers.norm import ChannelNorm
from voxmatrix.vits.layers.rows import convolve
from voxmatrix.vits.layers.splines import spline

_LOG_2PI = math.log(2 * math.pi)


class Pointwise(nn.Conv1d):
    """A convolution of kernel size 1 for channels in the last dimension, as ChannelNorm expects them."""

    def forward(self, x: Tensor) -> Tensor:
        """(b, t, c) -> (b, t, c)."""
        return functional.linear(x, self.weight.squeeze(-1), self.bias)


class SeparableConvs(nn.Module):
    """Dilated depthwise convolutions, each followed by a pointwise one."""

    def __init__(self, channels: int, kernel: int, n_layers: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.convs_sep = nn.ModuleList()
        self.convs_1x1 = nn.ModuleList()
        self.norms_1 = nn.ModuleList()
        self.norms_2 = nn.ModuleList()
        for layer in range(n_layers):
            dilation = kernel**layer
            padding = (kernel - 1) * dilation // 2
            self.convs_sep.append(
                nn.Conv1d(channels, channels, kernel, groups=channels, dilation=dilation, padding=padding)
            )
            self.convs_1x1.append(Pointwise(channels, channels, 1))
            self.norms_1.append(ChannelNorm(channels))
            self.norms_2.append(ChannelNorm(channels))

    def forward(self, x: Tensor, mask: Tensor, condition: Tensor | None = None) -> Tensor:
        """(b, c, t), (b, 1, t) -> (b, c, t)."""
        if condition is not None:
            x = x + condition
        for depthwise, pointwise, norm_1, norm_2 in zip(
            self.convs_sep, self.convs_1x1, self.norms_1, self.norms_2, strict=True
        ):
            y = functional.gelu(norm_1(depthwise(x * mask).transpose(1, 2)))  # (b, t, c)
            y = functional.gelu(norm_2(pointwise(y)))
            x = x + self.drop(y).transpose(1, 2)
        return x * mask


class Affine(nn.Module):
    """Scale and shift each channel."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.m = nn.Parameter(torch.zeros(channels, 1))
        self.logs = nn.Parameter(torch.zeros(channels, 1))

    def forward(self, z: Tensor, mask: Tensor, condition: Tensor) -> tuple[Tensor, Tensor]:
        """(b, c, t) -> the same shape, and the log-determinant (b,)."""
        return (self.m + torch.exp(self.logs) * z) * mask, (self.logs * mask).sum([1, 2])

    def inverse(self, z: Tensor, mask: Tensor, condition: Tensor) -> Tensor:
        """The inverse of `forward`."""
        return (z - self.m) * torch.exp(-self.logs) * mask


class SplineCoupling(nn.Module):
    """Transform the second channel by a spline whose shape is computed from the first."""

    def __init__(self, hidden_channels: int, kernel: int, n_layers: int) -> None:
        super().__init__()
        self.scale = math.sqrt(hidden_channels)
        self.pre = nn.Conv1d(1, hidden_channels, 1)
        self.convs = SeparableConvs(hidden_channels, kernel, n_layers)
        self.proj = nn.Conv1d(hidden_channels, 3 * BINS - 1, 1)
        nn.init.zeros_(self.proj.weight)  # starts as the identity
        assert self.proj.bias is not None
        nn.init.zeros_(self.proj.bias)

    def forward(self, z: Tensor, mask: Tensor, condition: Tensor) -> tuple[Tensor, Tensor]:
        """(b, 2, t) -> the same shape, and the log-determinant (b,)."""
        z, log_derivative = self._transform(z, mask, condition, reverse=False)
        return z, (log_derivative * mask).sum([1, 2])

    def inverse(self, z: Tensor, mask: Tensor, condition: Tensor) -> Tensor:
        """The inverse of `forward`."""
        return self._transform(z, mask, condition, reverse=True)[0]

    def _transform(self, z: Tensor, mask: Tensor, condition: Tensor, *, reverse: bool) -> tuple[Tensor, Tensor]:
        fixed, moved = z.chunk(2, dim=1)  # (b, 1, t) each
        shape = convolve(self.proj, self.convs(convolve(self.pre, fixed), mask, condition)) * mask  # (b, 29, t)
        shape = shape.float().transpose(1, 2).unsqueeze(1)
        widths, heights, slopes = torch.split(shape, [BINS, BINS, BINS - 1], -1)
        moved, log_derivative = spline(moved, widths / self.scale, heights / self.scale, slopes, reverse=reverse)
        return torch.cat([fixed.float(), moved], 1) * mask, log_derivative


class Swap(nn.Module):
    """Exchange the two channels."""

    def forward(self, z: Tensor, mask: Tensor, condition: Tensor) -> tuple[Tensor, float]:
        """(b, 2, t) -> the same shape, and the log-determinant 0."""
        return z.flip(1), 0.0

    def inverse(self, z: Tensor, mask: Tensor, condition: Tensor) -> Tensor:
        """The inverse of `forward`."""
        return z.flip(1)


class StochasticDurationPredictor(CheckpointedModule):
    """Likelihood of the aligned durations in training; sampled durations in inference."""

    uses_random_numbers = True

    def __init__(
        self, channels: int, speaker_channels: int, kernel: int = 3, dropout: float = 0.5, n_flows: int = 4
    ) -> None:
        super().__init__()
        self.flows = _flows(channels, kernel, n_flows)
        self.post_pre = nn.Conv1d(1, channels, 1)
        self.post_proj = nn.Conv1d(channels, channels, 1)
        self.post_convs = SeparableConvs(channels, kernel, 3, dropout)
        self.post_flows = _flows(channels, kernel, n_flows)
        self.pre = nn.Conv1d(channels, channels, 1)
        self.proj = nn.Conv1d(channels, channels, 1)
        self.convs = SeparableConvs(channels, kernel, 3, dropout)
        if speaker_channels:
            self.cond = nn.Conv1d(speaker_channels, channels, 1)

    def forward(self, hidden: Tensor, mask: Tensor, durations: Tensor, speaker: Tensor | None = None) -> Tensor:
        """Upper bound of the negative log-likelihood of durations (b, 1, t) in frames, summed over symbols: (b,).

        In float32: these are so many and so small operations that casts would take longer than they save.
        """
        with without_autocast(hidden):
            return self._nll(hidden.float(), mask, durations, None if speaker is None else speaker.float())

    def _nll(self, hidden: Tensor, mask: Tensor, durations: Tensor, speaker: Tensor | None) -> Tensor:
        condition = self._condition(hidden, mask, speaker)
        noise = torch.randn(durations.size(0), 2, durations.size(2), device=durations.device) * mask
        z_q, log_q = self._posterior(noise, mask, durations, condition)
        fraction_logit, z_rest = z_q.chunk(2, dim=1)
        continuous = (durations - torch.sigmoid(fraction_logit) * mask) * mask  # dequantised: frames - u
        log_continuous = torch.log(continuous.clamp_min(1e-5)) * mask
        z = torch.cat([log_continuous, z_rest], 1)
        log_determinant = -log_continuous.sum([1, 2])
        for step in self.flows:
            z, change = step(z, mask, condition)
            log_determinant = log_determinant + change
        nll = (0.5 * (_LOG_2PI + z.square()) * mask).sum([1, 2]) - log_determinant
        return nll + log_q

    def sample(
        self,
        hidden: Tensor,
        mask: Tensor,
        noise_scale: float | Tensor,
        speaker: Tensor | None = None,
        noise: Tensor | None = None,
    ) -> Tensor:
        """Sampled log-durations in frames: (b, 1, t). `noise` (b, 2, t) is drawn if it is not given."""
        condition = self._condition(hidden, mask, speaker)
        if noise is None:
            noise = normal((hidden.size(0), 2, hidden.size(2)), hidden.device)
        z = noise * noise_scale
        for step in reversed([self.flows[0], *self.flows[2:]]):  # as in VITS, inference skips the first spline
            z = step.inverse(z, mask, condition)
        return z[:, :1]

    def _condition(self, hidden: Tensor, mask: Tensor, speaker: Tensor | None) -> Tensor:
        """Conditioning on the text and the speaker, without gradients to them: (b, c, t)."""
        x = convolve(self.pre, hidden.detach())
        if speaker is not None:
            x = x + self.cond(speaker.detach())
        return convolve(self.proj, self.convs(x, mask)) * mask

    def _posterior(self, noise: Tensor, mask: Tensor, durations: Tensor, condition: Tensor) -> tuple[Tensor, Tensor]:
        """The two auxiliary channels of variational dequantisation, and their log-likelihood (b,)."""
        encoded = convolve(self.post_proj, self.post_convs(convolve(self.post_pre, durations), mask)) * mask
        z = noise
        log_determinant = torch.zeros(noise.size(0), device=noise.device)
        for step in self.post_flows:
            z, change = step(z, mask, condition + encoded)
            log_determinant = log_determinant + change
        logit = z[:, :1]
        log_determinant = log_determinant + ((functional.logsigmoid(logit) + functional.logsigmoid(-logit)) * mask).sum(
            [1, 2]
        )
        return z, (-0.5 * (_LOG_2PI + noise.square()) * mask).sum([1, 2]) - log_determinant


def _flows(channels: int, kernel: int, n_flows: int) -> nn.ModuleList:
    steps: list[nn.Module] = [Affine(2)]
    for _ in range(n_flows):
        steps += [SplineCoupling(channels, kernel, 3), Swap()]
    return nn.ModuleList(steps)
