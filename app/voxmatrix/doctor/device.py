"""Which device a report is about. Unlike a plan, a report also speaks of a GPU that cannot work. Pure."""

from collections.abc import Sequence

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_request import parse_device
from voxmatrix.plan.device_support import not_found
from voxmatrix.plan.gpu_ranking import best_gpu, requested_gpu
from voxmatrix.plan.verdict import Assessment

RUNS = ("native", "ptx-jit")


def chosen_gpu(machine: Machine, assessments: Sequence[Assessment], asked: str) -> Gpu | None:
    """The GPU that is meant; None: the CPU. `auto` is the best that runs, and a CUDA torch's first GPU when none does.

    Raises:
        UsageError: that is not the name of a device.
        NoDeviceError: it is not there.
    """
    request = parse_device(asked, "flag", f"--device {asked}")
    running = [gpu for gpu, assessment in zip(machine.gpus, assessments, strict=True) if assessment.verdict in RUNS]
    if request.kind == "cpu":
        return None
    if request.kind == "auto":
        return best_gpu(running, machine) if running else _first_cuda(machine)
    gpu = requested_gpu(machine, request, running.__contains__)
    if gpu is None:
        raise not_found(machine, request)
    return gpu


def _first_cuda(machine: Machine) -> Gpu | None:
    """Where torch is a build with CUDA, a GPU is meant to work, and that it cannot is an error rather than a wish."""
    wanted = machine.torch is not None and machine.torch.cuda is not None
    return next((gpu for gpu in machine.gpus if wanted and gpu.kind == "cuda" and gpu.capability), None)
