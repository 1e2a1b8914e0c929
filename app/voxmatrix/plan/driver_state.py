"""Why NVIDIA GPUs that are in the computer cannot be used: the driver fails, or a variable hides them. Pure."""

from voxmatrix.errors import Finding, MemoryExhaustedError, NoDeviceError
from voxmatrix.machine.facts import Machine
from voxmatrix.tables.gpus import driver_error
from voxmatrix.wording import pluralise


def driver_finding(machine: Machine) -> Finding | None:
    """The error of the driver, or that CUDA_VISIBLE_DEVICES hides all GPUs; None if neither is known."""
    if machine.driver_error is not None:
        error = driver_error(machine.driver_error)
        return Finding(problem=error.problem, remedy=error.remedy, severity="warning")
    if machine.hidden_gpus and not any(gpu.kind == "cuda" for gpu in machine.gpus):
        return Finding(
            problem=f"{pluralise(machine.hidden_gpus, 'NVIDIA GPU')} hidden by CUDA_VISIBLE_DEVICES="
            f"{machine.visible_devices or ''}",
            remedy="unset CUDA_VISIBLE_DEVICES, or set it to a number or UUID that `nvidia-smi -L` lists",
            severity="warning",
        )
    return None


def lacks_gpu(machine: Machine) -> bool:
    """Whether torch is built for GPUs and has none although it should: in an image for GPUs, or as the driver fails.

    A driver that lists no GPU works: one in a case outside the computer may be unplugged.
    """
    built_for = machine.torch.built_for if machine.torch else None
    if built_for is None or any(gpu.kind == built_for for gpu in machine.gpus):
        return False
    return machine.image is not None or machine.driver_error not in (None, _LISTS_NONE)


_LISTS_NONE = "nvml none"
#: The driver's answer while the memory of the GPU, or the container's, is full.
OUT_OF_MEMORY = "cuda 2"


def does_not_start(name: str) -> NoDeviceError | MemoryExhaustedError:
    """The error for a GPU on which CUDA does not start; `name` as in `Machine.driver_error`."""
    error = driver_error(name)
    kind = MemoryExhaustedError if name == OUT_OF_MEMORY else NoDeviceError
    return kind(error.problem, error.remedy)
