"""Whether a GPU supports a task, and the errors for unsupported and missing GPUs. Pure."""

from collections.abc import Callable
from typing import Literal

from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.verdict import Assessment

Task = Literal["train", "speak"]
#: The kinds of GPU that each task can use.
USED_BY: dict[Task, tuple[str, ...]] = {
    "train": ("cuda", "rocm", "xpu"),
    "speak": ("cuda", "rocm", "xpu", "directml"),
}
_NO_TRAINING = "torch-directml has no complex numbers (its STFT crashes the process) and no AMP"
Assess = Callable[[Gpu, Machine], Assessment]


def unsupported(gpu: Gpu, machine: Machine, assess: Assess, task: Task) -> NoDeviceError | NoKernelsError | None:
    """The error for a request of this GPU if it does not support the task; None if it does, or may."""
    name = f"{gpu.device} ({gpu.name or 'unnamed GPU'})"
    if task == "train" and gpu.kind == "directml":
        return NoDeviceError(
            f"{name} cannot train a voice: {_NO_TRAINING}", "set --device cpu; this GPU can only speak"
        )
    assessment = assess(gpu, machine)
    if gpu.kind not in USED_BY[task]:
        return NoDeviceError(f"{name} is of kind {gpu.kind}, which no image supports", assessment.remedy)
    if assessment.verdict == "unsupported":
        return NoKernelsError(f"{name} cannot be used: {assessment.reason}", assessment.remedy)
    if assessment.verdict == "driver-too-old":
        return NoDeviceError(f"{name} cannot be used: {assessment.reason}", assessment.remedy)
    return None  # without a verdict the GPU is tried, and the selection warns


def not_found(machine: Machine, request: DeviceRequest) -> NoDeviceError:
    """The error for a missing GPU, with the available devices."""
    listed = ", ".join(f"{gpu.device} ({gpu.name or 'unnamed GPU'})" for gpu in machine.gpus)
    if listed:
        problem, remedy = f"available: {listed}, cpu", "choose one of these, or set --device auto"
    else:
        problem, remedy = "this computer has no GPU", "set --device cpu or auto; in a container add --gpus all"
    return NoDeviceError(f"{request.origin}: no such GPU; {problem}", remedy)
