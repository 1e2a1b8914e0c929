"""Which devices are measured. Pure."""

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.device_selection import select_device
from voxmatrix.plan.device_support import Assess, Task, unsupported
from voxmatrix.plan.verdict import assess
from voxmatrix.settings import Source

ALL = "all"


def to_measure(
    machine: Machine,
    asked: str,
    *,
    task: Task,
    source: Source = "flag",
    said: str = "--device",
    saved_device: SavedDevice | None = None,
    assess: Assess = assess,
) -> tuple[list[Gpu | None], tuple[Finding, ...]]:
    """The CPU (None) and every GPU that can do the task, or the one that is asked for; what is left out, and why.

    Raises:
        UsageError: that is not the name of a device.
        NoDeviceError: the device is not there, or cannot do this.
        NoKernelsError: this torch has no kernels for it.
    """
    if asked.strip().lower() != ALL:
        request = parse_device(asked, source, f"{said} {asked}")
        choice = select_device(machine, request, task=task, saved_device=saved_device, assess=assess)
        return [choice.gpu], choice.findings
    refused = {gpu: wrong for gpu in machine.gpus if (wrong := unsupported(gpu, machine, assess, task)) is not None}
    fit = [gpu for gpu in machine.gpus if gpu not in refused]
    left_out = [
        Finding(problem=f"not measured: {wrong.problem}", remedy=wrong.remedy, severity="warning")
        for wrong in refused.values()
    ]
    return [None, *fit], tuple(left_out)
