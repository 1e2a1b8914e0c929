"""Detection and device selection before a command starts, done once and passed on."""

from dataclasses import dataclass
from typing import Self

from voxmatrix.errors import Finding
from voxmatrix.machine.detect import detect
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.saved_device import SavedDevice, saved_device
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_selection import SelectedDevice, select_device
from voxmatrix.plan.device_support import Task


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """This computer and the device selected for a command."""

    machine: Machine
    saved_device: SavedDevice | None
    selected: SelectedDevice
    notes: tuple[Finding, ...] = ()  # facts that could not be read

    @classmethod
    def on(
        cls,
        machine: Machine,
        request: DeviceRequest,
        task: Task,
        *,
        saved_device: SavedDevice | None = None,
        notes: tuple[Finding, ...] = (),
    ) -> Self:
        """Select the device on an already detected computer.

        Raises:
            NoDeviceError: the requested device is not available, its driver is too old, or it cannot do this task.
            NoKernelsError: this torch has no kernels for the requested device.
        """
        selected = select_device(machine, request, task=task, saved_device=saved_device)
        return cls(machine=machine, saved_device=saved_device, selected=selected, notes=notes)


def run_preflight(request: DeviceRequest, task: Task) -> Preflight:
    """Detect this computer and select the device.

    Raises:
        As `Preflight.on`.
        UsageError: the saved device cannot be read.
    """
    machine, notes = detect()
    return Preflight.on(machine, request, task, saved_device=saved_device(), notes=notes)
