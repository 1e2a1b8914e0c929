"""Randomness of speech, which means the same on every device."""

from collections.abc import Sequence

import torch
from torch import Tensor


def normal(shape: Sequence[int], device: torch.device) -> Tensor:
    """Numbers from the standard normal distribution, (shape), float32.

    They are drawn on the CPU and copied: a seed then gives the same voice on every device, and DirectML, which has no
    generator of its own, is asked for none. In an ONNX graph this stays one operation.
    """
    drawn = torch.randn(tuple(shape))
    return drawn if device.type == "cpu" else drawn.to(device)


def normal_like(x: Tensor) -> Tensor:
    """The same in the shape of x."""
    return torch.randn_like(x) if x.device.type == "cpu" else normal(x.shape, x.device)
