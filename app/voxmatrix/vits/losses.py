"""Loss functions (VITS section 2.3; HiFi-GAN). None of them synchronises with the device."""

from collections.abc import Sequence

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
    parts = [
        (r.detach().float() - g.float()).abs().mean()
        for real_layers, generated_layers in zip(real, generated, strict=True)
        for r, g in zip(real_layers, generated_layers, strict=True)
    ]
    return 2 * torch.stack(parts).sum()


def kl_divergence(z_p: Tensor, logs_q: Tensor, m_p: Tensor, logs_p: Tensor, mask: Tensor) -> Tensor:
    """KL divergence of posterior and prior at the sampled z_p, mean per frame: all (b, c, f), mask (b, 1, f)."""
    z_p, logs_q, m_p, logs_p, mask = (tensor.float() for tensor in (z_p, logs_q, m_p, logs_p, mask))
    kl = logs_p - logs_q - 0.5 + 0.5 * (z_p - m_p).square() * torch.exp(-2 * logs_p)
    return (kl * mask).sum() / mask.sum()
