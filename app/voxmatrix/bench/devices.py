"""Selection of the devices to measure. Pure."""

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.device_selection import Assess, Task, select_device, unsupported
from voxmatrix.plan.verdict import assess
from voxmatrix.settings import Source

ALL = "all"


def to_measure(
    machine: Machine,
    device: str,
    *,
    task: Task,
    source: Source = "flag",
    option: str = "--device",
    saved_device: SavedDevice | None = None,
    assess: Assess = assess,
) -> tuple[list[Gpu | None], tuple[Finding, ...]]:
    """The requested device, or for `all` the CPU (None) and every GPU that supports the task; findings for the others.

    Raises:
        UsageError: this is not the name of a device.
        NoDeviceError: the device is not available, or cannot do this task.
        NoKernelsError: this torch has no kernels for it.
    """
    if device.strip().lower() != ALL:
        request = parse_device(device, source, f"{option} {device}")
        selected = select_device(machine, request, task=task, saved_device=saved_device, assess=assess)
        return [selected.gpu], selected.findings
    refused = {gpu: error for gpu in machine.gpus if (error := unsupported(gpu, machine, assess, task)) is not None}
    usable = [gpu for gpu in machine.gpus if gpu not in refused]
    left_out = [
        Finding(problem=f"not measured: {error.problem}", remedy=error.remedy, severity="warning")
        for error in refused.values()
    ]
    return [None, *usable], tuple(left_out)
