"""Where half precision would lose what matters: spectra, alignment, likelihoods."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

#: Devices whose autocast somebody may have switched on. Others (DirectML, meta) have none to switch off, and refuse.
_AUTOCAST_DEVICES = ("cpu", "cuda", "xpu", "mps")


def without_autocast(tensor: Tensor) -> AbstractContextManager[Any]:
    """A region in which operations on this tensor's device keep the precision of their inputs."""
    device = tensor.device.type
    if device in _AUTOCAST_DEVICES and torch.amp.is_autocast_available(device):
        return torch.autocast(device, enabled=False)
    return nullcontext()
