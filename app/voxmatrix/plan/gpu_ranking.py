"""Which of several GPUs is the best one, and which one a wish means. Pure."""

from collections.abc import Callable, Sequence

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.budget import shares_memory
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.tables.precision import precision_row

_SPEED_ORDER = ("fp32", "fp16", "bf16")


def best_gpu(gpus: Sequence[Gpu], machine: Machine) -> Gpu:
    """The one to use of at least one.

    What it computes in comes first (an old card with much memory is no match for tensor cores), then its free memory,
    then its capability, then its place.
    """
    return max(
        gpus,
        key=lambda gpu: (gpu.kind == "cuda", _format(gpu), _free(gpu, machine), gpu.capability or (0, 0), -gpu.index),
    )


def requested_gpu(machine: Machine, request: DeviceRequest, is_fit: Callable[[Gpu], bool]) -> Gpu | None:
    """The GPU that is asked for: the best of those that are fit, else the first, to say what is wrong; None: absent.

    Of two kinds with the same number, the first of the computer's list is meant.
    """
    there = [gpu for gpu in machine.gpus if request.kind in ("auto", "gpu", gpu.kind)]
    if request.index is not None:
        there = [gpu for gpu in there if gpu.index == request.index]
    fit = [gpu for gpu in there if is_fit(gpu)]
    return best_gpu(fit, machine) if fit else next(iter(there), None)


def _format(gpu: Gpu) -> int:
    row = precision_row(gpu.kind, gpu.capability, gpu.name)
    return _SPEED_ORDER.index(row.precision) if row else -1


def _free(gpu: Gpu, machine: Machine) -> int:
    if shares_memory(gpu):
        return machine.available_mib or machine.memory_mib or 0
    own = gpu.free_mib if gpu.free_mib is not None else gpu.memory_mib
    return own or 0
