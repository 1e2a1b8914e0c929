"""Layer normalisation, and weight normalisation (direction and length are separate parameters)."""

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils import parametrize
from torch.nn.utils.parametrizations import weight_norm

from voxmatrix.vits.layers.constants import EPSILON

__all__ = ["ChannelNorm", "remove_weight_norm", "weight_norm"]


class ChannelNorm(nn.Module):
    """Layer normalisation over the channels, the last dimension: (b, t, c)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(channels))
        self.beta = nn.Parameter(torch.zeros(channels))

    def forward(self, x: Tensor) -> Tensor:
        """(b, t, c) -> (b, t, c)."""
        return functional.layer_norm(x, self.gamma.shape, self.gamma, self.beta, EPSILON)


def remove_weight_norm(module: nn.Module) -> None:
    """Replace all normalised weights in `module` by plain ones, which is faster in inference."""
    for part in module.modules():
        if parametrize.is_parametrized(part, "weight"):
            parametrize.remove_parametrizations(part, "weight", leave_parametrized=True)
