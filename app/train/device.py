"""The device that is asked for, and the precision on it."""

import torch
from lightning.fabric import Fabric

from app.errors import NoDeviceError, UsageError
from app.train.settings import Precision

_FABRIC_PRECISION = {"32": "32-true", "bf16": "bf16-mixed", "16": "16-mixed"}


def choose_device(asked: str) -> torch.device:
    """`auto` is the first GPU that torch can use, else the CPU.

    Raises:
        UsageError: that is not the name of a device.
        NoDeviceError: it is not there.
    """
    if asked == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    kind, _, number = asked.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdecimal()):
        raise UsageError(f"--device is {asked!r}", "set it to cpu, cuda:0 (or another number), or auto")
    if kind == "cpu":
        return torch.device("cpu")
    index, count = int(number or 0), torch.cuda.device_count() if torch.cuda.is_available() else 0
    if index >= count:
        raise NoDeviceError(
            f"--device is {asked}, and this torch ({torch.__version__}) can use {count} CUDA devices here",
            "set --device cpu or auto; in a container add --gpus all",
        )
    return torch.device("cuda", index)


def make_fabric(device: torch.device, precision: Precision) -> Fabric:
    """Fabric for one device.

    Raises:
        UsageError: the precision is not for this device.
    """
    if device.type == "cpu" and precision == "16":
        raise UsageError("--precision 16 is for GPUs: no CPU gains from it", "set --precision 32 or bf16")
    devices = 1 if device.type == "cpu" else [device.index or 0]
    return Fabric(accelerator=device.type, devices=devices, precision=_FABRIC_PRECISION[precision])  # type: ignore[arg-type]
