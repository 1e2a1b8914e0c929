"""The device of a child, by the name that its parent gave it."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def open_device(name: str) -> "torch.device":
    """The device of this name for torch; on the CPU torch takes as many threads as this process may keep busy.

    Raises:
        MissingProgramError: it is DirectML's, and torch-directml is not installed.
    """
    import torch

    from app.compute.device import torch_device
    from app.machine.facts import Gpu, Machine
    from app.machine.limits import cpus

    kind, _, number = name.partition(":")
    if kind == "cpu":
        torch.set_num_threads(cpus())
    if kind != "directml":
        return torch.device(name)
    return torch_device(Gpu(index=int(number), kind="directml"), Machine(platform="windows", cpus=1))
