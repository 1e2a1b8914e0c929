"""Whether a GPU can do a task, and the words for one that cannot or is not there. Pure."""

from collections.abc import Callable
from typing import Literal

from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.verdict import Assessment

Task = Literal["train", "speak"]
#: The kinds of GPU that each task can use.
USED_BY: dict[Task, tuple[str, ...]] = {"train": ("cuda",), "speak": ("cuda", "directml")}
_NO_TRAINING = (
    "torch-directml has no complex numbers (its STFT ends the process) and no AMP: a voice cannot train there"
)
Assess = Callable[[Gpu, Machine], Assessment]


def unsupported(gpu: Gpu, machine: Machine, assess: Assess, task: Task) -> NoDeviceError | NoKernelsError | None:
    """Why this GPU cannot do it, as the error that a demand for it ends with; None where it can, or may."""
    called = f"{gpu.device} ({gpu.name or 'a GPU without a name'})"
    if task == "train" and gpu.kind == "directml":
        return NoDeviceError(f"{called} is not for training: {_NO_TRAINING}", "set --device cpu; speaking works there")
    assessment = assess(gpu, machine)
    if gpu.kind not in USED_BY[task]:
        return NoDeviceError(f"{called} is of kind {gpu.kind}, which no image here uses", assessment.remedy)
    if assessment.verdict == "unsupported":
        return NoKernelsError(f"{called} cannot be used: {assessment.reason}", assessment.remedy)
    if assessment.verdict == "driver-too-old":
        return NoDeviceError(f"{called} cannot be used: {assessment.reason}", assessment.remedy)
    return None  # where the rules say nothing it is tried, and said


def not_found(machine: Machine, request: DeviceRequest) -> NoDeviceError:
    """The error that lists what is there."""
    listed = ", ".join(f"{gpu.device} ({gpu.name or 'no name'})" for gpu in machine.gpus)
    there = f"here is: {listed}, cpu" if listed else "there is no GPU here, only the cpu"
    mend = (
        "choose one of these, or set --device auto"
        if listed
        else "set --device cpu or auto; in a container add --gpus all"
    )
    return NoDeviceError(f"{request.said} asks for a GPU that is not there; {there}", mend)
