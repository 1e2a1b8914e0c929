"""The torch device of a GPU, and the environment variables that CUDA reads at its start."""

import os
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from voxmatrix.errors import MissingProgramError, NoDeviceError
from voxmatrix.machine.facts import CONTAINER_OPTIONS, Gpu, GpuKind, Machine
from voxmatrix.machine.probes import cuda_driver
from voxmatrix.machine.saved_device import CPU

if TYPE_CHECKING:
    import torch

_ORDER = "CUDA_DEVICE_ORDER"
#: torch 2.9 renamed the variable; the older name still works.
_ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"
#: Kinds of GPU, and torch's names for them: its ROCm builds call AMD's GPUs cuda.
_TORCH_NAMES = {"cuda": "cuda", "rocm": "cuda", "xpu": "xpu"}


def prepare_environment(allocator: str = "", environment: MutableMapping[str, str] | None = None) -> None:
    """Set the variables of CUDA and its allocator. Call it before the first use of a GPU: they are read only once.

    CUDA then numbers GPUs in PCI bus order, like nvidia-smi and our facts. Values set by the user are kept.
    """
    environment = os.environ if environment is None else environment
    environment.setdefault(_ORDER, "PCI_BUS_ID")
    merged = merged_allocator(allocator, environment)
    if merged:
        environment[_ALLOCATOR] = merged


def merged_allocator(allocator: str, environment: Mapping[str, str]) -> str:
    """Our options for CUDA's allocator merged with the user's, which take precedence."""
    theirs = environment.get(_ALLOCATOR, "").strip()
    if environment.get("PYTORCH_ALLOC_CONF", "").strip():
        return theirs  # the newer name was set by the user and must not be overridden
    named = {option.partition(":")[0].strip() for option in theirs.split(",")}
    ours = [option for option in allocator.split(",") if option and option.partition(":")[0] not in named]
    return ",".join([theirs] * bool(theirs) + ours)


def torch_device(gpu: Gpu | None, machine: Machine) -> "torch.device":
    """The device for `torch.Tensor.to`; None is the CPU.

    Raises:
        NoDeviceError: the driver fails, or torch does not see this GPU.
        MissingProgramError: it is a DirectML device, and torch-directml is not installed.
    """
    import torch

    if gpu is None:
        return torch.device("cpu")
    if gpu.kind == "directml":
        return _directml(gpu)
    if gpu.kind in _TORCH_NAMES:
        return torch.device(_TORCH_NAMES[gpu.kind], _ordinal(gpu, machine))
    raise NoDeviceError(f"{gpu.device} ({gpu.name}) is of a kind that no image supports", "set `device=cpu` or auto")


def set_tf32(allowed: bool) -> None:
    """Allow TF32 in this process, or forbid it, in products of matrices and in cuDNN's convolutions.

    Each has a setting of its own, and cuDNN's is on by default. That of matrices is not set by the older option
    `torch.backends.cuda.matmul.allow_tf32`, which conflicts with this one when both are set (pytorch #152008).
    """
    import torch

    torch.set_float32_matmul_precision("high" if allowed else "highest")
    torch.backends.cudnn.allow_tf32 = allowed


def torch_name(device: str) -> str:
    """torch's name of a device of ours: cuda:0 for rocm:0, else the same."""
    kind, colon, index = device.partition(":")
    return f"{_TORCH_NAMES.get(kind, kind)}{colon}{index}"


def backend(device: "torch.device") -> Any:
    """torch.cuda or torch.xpu, whose functions for memory and synchronisation are alike; None for other devices."""
    import torch

    return {"cuda": torch.cuda, "xpu": getattr(torch, "xpu", None)}.get(device.type)


def _ordinal(gpu: Gpu, machine: Machine) -> int:
    """torch's index of a GPU: by uuid if torch reports one, else by position among the visible GPUs of its kind."""
    import torch

    name, position = _TORCH_NAMES[gpu.kind], [other for other in machine.gpus if other.kind == gpu.kind].index(gpu)
    if gpu.kind == "cuda" and torch.version.cuda and (error := cuda_driver.read_error(position)):
        from voxmatrix.plan.driver_state import does_not_start

        raise does_not_start(error)  # torch says less, in a warning
    module = backend(torch.device(name))
    count = module.device_count()
    if gpu.uuid is not None:
        uuids = [str(getattr(module.get_device_properties(index), "uuid", "")) for index in range(count)]
        matches = [index for index, uuid in enumerate(uuids) if _bare(uuid) == _bare(gpu.uuid)]
        if len(matches) == 1:
            return matches[0]
    if position < count:
        return position
    raise NoDeviceError(
        f"{gpu.device} ({gpu.name}) is here, but torch {torch.__version__} sees {count} {name.upper()} devices",
        f"run: voxmatrix doctor; in a container add {CONTAINER_OPTIONS[gpu.kind]}",
    )


def _bare(uuid: str) -> str:
    return uuid.removeprefix("GPU-").removeprefix("MIG-").lower()


def _directml(gpu: Gpu) -> "torch.device":
    try:
        import torch_directml  # type: ignore[import-not-found]
    except ImportError as error:
        raise MissingProgramError(
            f"{gpu.device} requires the package torch-directml, which is not installed",
            "use the image directml-windows, or set `device=cpu`",
        ) from error
    return torch_directml.device(gpu.index)  # type: ignore[no-any-return]


def device_in_child(device: str, name: str | None) -> tuple[Gpu | None, Machine]:
    """The GPU with this device name (None for the CPU), and a minimal machine in which its index is valid."""
    if device == CPU:
        return None, Machine(platform="linux", cpus=1)
    prefix, _, index = device.partition(":")
    kind: GpuKind = prefix  # type: ignore[assignment]  # passed by the parent, from the facts
    gpus = tuple(Gpu(index=number, kind=kind, name=name) for number in range(int(index) + 1))
    return gpus[-1], Machine(platform="linux", cpus=1, gpus=gpus)


def open_device(gpu: Gpu | None, machine: Machine) -> "torch.device":
    """The torch device; for the CPU, torch is limited to the CPUs available to this process.

    Raises:
        NoDeviceError: torch does not see the device.
        MissingProgramError: it is a DirectML device, and torch-directml is not installed.
    """
    import torch

    from voxmatrix.machine.probes.limits import cpus

    if gpu is None:
        torch.set_num_threads(cpus())
    return torch_device(gpu, machine)
