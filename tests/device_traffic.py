"""A device without values, and a record of what goes to and from it.

Tensors on torch's `meta` device have a shape and a type, but no values: reading one back is an error, as on a GPU it is
a wait for all work queued so far.
"""

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

DEVICE = torch.device("meta")
_READ_NUMBER = torch.ops.aten._local_scalar_dense.default
_COPY = torch.ops.aten._to_copy.default


class OffDeviceError(Exception):
    """An operation that reads a value back, or computes with tensors on the CPU and on the device."""


class DeviceTraffic(TorchDispatchMode):
    """Records copies to the device, reads from it and operations on the CPU; `answers` are the numbers to be read.

    Raises:
        OffDeviceError: a number is read for which there is no answer, or an operation mixes devices.
    """

    def __init__(self, *answers: int) -> None:
        super().__init__()
        self.reads: list[str] = []
        self.uploads: list[tuple[int, ...]] = []
        self.on_cpu: set[str] = set()
        self._answers = list(answers)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = _devices(args, kwargs)
        if func is _READ_NUMBER and "meta" in given:
            if not self._answers:
                raise OffDeviceError("a number is read back from the device")
            self.reads.append("number")
            return self._answers.pop(0)
        if func is _COPY and "meta" in given and torch.device(kwargs.get("device") or "meta").type == "cpu":
            self.reads.append("tensor")
            return torch.zeros(args[0].shape)
        out = func(*args, **kwargs)
        if func is _COPY and given == {"cpu"} and out.device == DEVICE:
            self.uploads.append(tuple(out.shape))
        elif given >= {"cpu", "meta"}:
            raise OffDeviceError(f"{func} computes with tensors on the CPU and on the device")
        elif "cpu" in given | _devices(out):
            self.on_cpu.add(func.__name__)
        return out


def _devices(*values: Any) -> set[str]:
    return {leaf.device.type for leaf in tree_leaves(values) if isinstance(leaf, Tensor)}
