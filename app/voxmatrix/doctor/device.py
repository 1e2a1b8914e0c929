"""The device of a report. Unlike a plan, a report also covers a GPU that cannot be used. Pure."""

from collections.abc import Sequence

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.device_selection import best_gpu, not_found, requested_gpu
from voxmatrix.plan.verdict import Assessment

RUNS = ("native", "ptx-jit")


def chosen_gpu(machine: Machine, assessments: Sequence[Assessment], device: str) -> Gpu | None:
    """The GPU for this device name; None is the CPU. `auto` is the best usable GPU, else the first one of torch's kind.

    Raises:
        UsageError: this is not the name of a device.
        NoDeviceError: the device is not available.
    """
    request = parse_device(device, "flag", f"--device {device}")
    running = [gpu for gpu, assessment in zip(machine.gpus, assessments, strict=True) if assessment.verdict in RUNS]
    if request.kind == "cpu":
        return None
    if request.kind == "auto":
        return best_gpu(running, machine) if running else _first_of_torch(machine)
    gpu = requested_gpu(machine, request, running.__contains__)
    if gpu is None:
        raise not_found(machine, request)
    return gpu


def _first_of_torch(machine: Machine) -> Gpu | None:
    """The first GPU of the kind that torch is built for: it is expected to work, so a failure must be an error."""
    kind = machine.torch.built_for if machine.torch else None
    return next((gpu for gpu in machine.gpus if gpu.kind == kind and (gpu.capability or kind != "cuda")), None)
