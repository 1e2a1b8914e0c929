"""The device of a child, by the name that its parent gave it."""

from typing import TYPE_CHECKING

from voxmatrix.machine.facts import Gpu, GpuKind, Machine
from voxmatrix.machine.saved_device import CPU

if TYPE_CHECKING:
    import torch


def device_in_child(device: str, name: str | None) -> tuple[Gpu | None, Machine]:
    """The GPU of this device, None for the CPU, in a computer that holds what its number counts."""
    if device == CPU:
        return None, Machine(platform="linux", cpus=1)
    word, _, number = device.partition(":")
    kind: GpuKind = word  # type: ignore[assignment]  # the parent has it from the facts
    gpus = tuple(Gpu(index=index, kind=kind, name=name) for index in range(int(number) + 1))
    return gpus[-1], Machine(platform="linux", cpus=1, gpus=gpus)


def open_device(gpu: Gpu | None, machine: Machine) -> "torch.device":
    """The device for torch; on the CPU torch takes as many threads as this process may keep busy.

    Raises:
        NoDeviceError: torch does not see it.
        MissingProgramError: it is DirectML's, and torch-directml is not installed.
    """
    import torch

    from voxmatrix.compute.device import torch_device
    from voxmatrix.machine.probes.limits import cpus

    if gpu is None:
        torch.set_num_threads(cpus())
    return torch_device(gpu, machine)
