"""Random numbers for speech that are the same on every device."""

from collections.abc import Sequence

import torch
from torch import Tensor


def normal(shape: Sequence[int], device: torch.device) -> Tensor:
    """Samples of the standard normal distribution, (shape), float32.

    They are drawn on the CPU and copied, so that a seed gives the same speech on every device, including DirectML,
    which has no random number generator. In an ONNX graph this is a single operation.
    """
    noise = torch.randn(tuple(shape))
    return noise if device.type == "cpu" else noise.to(device)


def normal_like(x: Tensor) -> Tensor:
    """The same in the shape of `x`."""
    return torch.randn_like(x) if x.device.type == "cpu" else normal(x.shape, x.device)
