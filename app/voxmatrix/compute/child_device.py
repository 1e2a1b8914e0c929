"""The device of a child process, opened by the name that its parent passes."""

from typing import TYPE_CHECKING

from voxmatrix.machine.facts import Gpu, GpuKind, Machine
from voxmatrix.machine.saved_device import CPU

if TYPE_CHECKING:
    import torch


def device_in_child(device: str, name: str | None) -> tuple[Gpu | None, Machine]:
    """The GPU with this device name (None for the CPU), and a minimal machine in which its index is valid."""
    if device == CPU:
        return None, Machine(platform="linux", cpus=1)
    prefix, _, index = device.partition(":")
    kind: GpuKind = prefix  # type: ignore[assignment]  # passed by the parent, from the facts
    gpus = tuple(Gpu(index=number, kind=kind, name=name) for number in range(int(index) + 1))
    return gpus[-1], Machine(platform="linux", cpus=1, gpus=gpus)


def open_device(gpu: Gpu | None, machine: Machine) -> "torch.device":
    """The torch device; for the CPU, torch is limited to the CPUs available to this process.

    Raises:
        NoDeviceError: torch does not see the device.
        MissingProgramError: it is a DirectML device, and torch-directml is not installed.
    """
    import torch

    from voxmatrix.compute.device import torch_device
    from voxmatrix.machine.probes.limits import cpus

    if gpu is None:
        torch.set_num_threads(cpus())
    return torch_device(gpu, machine)
