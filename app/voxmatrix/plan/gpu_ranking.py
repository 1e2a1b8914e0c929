"""Ranking of GPUs, and the GPU that a request refers to. Pure."""

from collections.abc import Callable, Sequence

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.budget import shares_memory
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.tables.precision import precision_row

_SPEED_ORDER = ("fp32", "fp16", "bf16")


def best_gpu(gpus: Sequence[Gpu], machine: Machine) -> Gpu:
    """The best of one or more GPUs.

    Ranked by precision (tensor cores beat an older card with more memory), free memory, capability, then index.
    """
    return max(
        gpus,
        key=lambda gpu: (gpu.kind == "cuda", _format(gpu), _free(gpu, machine), gpu.capability or (0, 0), -gpu.index),
    )


def requested_gpu(machine: Machine, request: DeviceRequest, is_usable: Callable[[Gpu], bool]) -> Gpu | None:
    """The requested GPU: the best usable match, else the first match (to report its problem); None if none matches."""
    matches = [gpu for gpu in machine.gpus if request.kind in ("auto", "gpu", gpu.kind)]
    if request.index is not None:
        matches = [gpu for gpu in matches if gpu.index == request.index]
    usable = [gpu for gpu in matches if is_usable(gpu)]
    return best_gpu(usable, machine) if usable else next(iter(matches), None)


def _format(gpu: Gpu) -> int:
    row = precision_row(gpu.kind, gpu.capability, gpu.name)
    return _SPEED_ORDER.index(row.precision) if row else -1


def _free(gpu: Gpu, machine: Machine) -> int:
    if shares_memory(gpu):
        return machine.available_mib or machine.memory_mib or 0
    own = gpu.free_mib if gpu.free_mib is not None else gpu.memory_mib
    return own or 0
