"""Full precision for computations that half precision would spoil: spectra, alignment, likelihoods."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

#: Devices on which autocast may be enabled. Others (DirectML, meta) do not support it, not even to disable it.
_AUTOCAST_DEVICES = ("cpu", "cuda", "xpu", "mps")


def without_autocast(tensor: Tensor) -> AbstractContextManager[Any]:
    """Disable autocast on the device of `tensor`: operations keep the precision of their inputs."""
    device = tensor.device.type
    if device in _AUTOCAST_DEVICES and torch.amp.is_autocast_available(device):
        return torch.autocast(device, enabled=False)
    return nullcontext()
