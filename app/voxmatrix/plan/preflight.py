"""Detection and device selection before a command starts, done once and passed on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from voxmatrix.errors import Finding
from voxmatrix.machine.detect import detect
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice, saved_device
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_selection import SelectedDevice, Task, select_device, unsupported
from voxmatrix.plan.verdict import assess

#: Asks which device of a computer to use, the given one by default, and saves the answer.
Ask = Callable[[Machine, Gpu], SavedDevice]


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


def run_preflight(request: DeviceRequest, task: Task, ask: Ask | None = None) -> Preflight:
    """Detect this computer and select the device; `ask` for it if several are usable and none was ever selected.

    Raises:
        As `Preflight.on`.
        UsageError: the saved device cannot be read.
    """
    (machine, notes), saved = detect(), saved_device()
    preflight = Preflight.on(machine, request, task, saved_device=saved, notes=notes)
    best = preflight.selected.gpu
    if ask is None or best is None or saved is not None or request.kind != "auto":
        return preflight
    if sum(unsupported(gpu, machine, assess, task) is None for gpu in machine.gpus) < 2:
        return preflight
    return Preflight.on(machine, request, task, saved_device=ask(machine, best), notes=notes)
