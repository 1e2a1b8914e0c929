"""Loss functions (VITS section 2.3; HiFi-GAN). None of them synchronises with the device."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import torch
from torch import Tensor


def discriminator_adversarial(real: Sequence[Tensor], generated: Sequence[Tensor]) -> Tensor:
    """Least squares towards 1 for recordings and 0 for generated waves, summed over the discriminators."""
    parts = [(1 - r.float()).square().mean() + g.float().square().mean() for r, g in zip(real, generated, strict=True)]
    return torch.stack(parts).sum()


def generator_adversarial(generated: Sequence[Tensor]) -> Tensor:
    """Least squares towards 1 for generated waves, summed over the discriminators."""
    return torch.stack([(1 - score.float()).square().mean() for score in generated]).sum()


def feature_matching(real: Sequence[Sequence[Tensor]], generated: Sequence[Sequence[Tensor]]) -> Tensor:
    """Twice the mean absolute difference, summed over all layers; no gradient to the features of recordings."""
    distances: Tensor = _Distances.apply(*chain(*real), *chain(*generated))  # type: ignore[no-untyped-call]
    return 2 * distances


class _Distances(torch.autograd.Function):
    """The mean absolute differences of pairs of tensors, summed, with few kernels: (*real, *generated) -> ().

    Differences are in the precision of the tensors, means in float32.
    """

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Tensor:
        count = len(tensors) // 2
        differences = torch._foreach_sub(tensors[count:], tensors[:count])
        means = [size.mean(dtype=torch.float32) for size in torch._foreach_abs(differences)]
        torch._foreach_sign_(differences)
        ctx.signs = differences
        return torch.stack(means).sum()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        shares = torch._foreach_mul([gradient] * len(ctx.signs), [1 / sign.numel() for sign in ctx.signs])
        return *[None] * len(ctx.signs), *(sign * share for sign, share in zip(ctx.signs, shares, strict=True))


def kl_divergence(z_p: Tensor, logs_q: Tensor, m_p: Tensor, logs_p: Tensor, mask: Tensor) -> Tensor:
    """KL divergence of posterior and prior at the sampled z_p, mean per frame: all (b, c, f), mask (b, 1, f)."""
    z_p, logs_q, m_p, logs_p, mask = (tensor.float() for tensor in (z_p, logs_q, m_p, logs_p, mask))
    kl = logs_p - logs_q - 0.5 + 0.5 * (z_p - m_p).square() * torch.exp(-2 * logs_p)
    return (kl * mask).sum() / mask.sum()
