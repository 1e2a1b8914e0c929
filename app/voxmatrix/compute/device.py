"""A GPU of the facts as torch's device, and the variables that CUDA reads when torch starts it."""

import os
from collections.abc import Mapping, MutableMapping
from typing import TYPE_CHECKING

from voxmatrix.errors import MissingProgramError, NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine

if TYPE_CHECKING:
    import torch

_ORDER = "CUDA_DEVICE_ORDER"
#: torch 2.9 renamed the variable and still reads the older name.
_ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"


def prepare_environment(allocator: str = "", environment: MutableMapping[str, str] | None = None) -> None:
    """Set what CUDA and its allocator read once: before the first use of a GPU, or it has no effect.

    CUDA then counts by the bus, as nvidia-smi and our facts do; what a person set stays.
    """
    environment = os.environ if environment is None else environment
    environment.setdefault(_ORDER, "PCI_BUS_ID")
    wanted = merged_allocator(allocator, environment)
    if wanted:
        environment[_ALLOCATOR] = wanted


def merged_allocator(allocator: str, environment: Mapping[str, str]) -> str:
    """Our options for CUDA's allocator beside those that a person set; of an option that both name, theirs holds."""
    theirs = environment.get(_ALLOCATOR, "").strip()
    if environment.get("PYTORCH_ALLOC_CONF", "").strip():
        return theirs  # the newer name is a person's own word, and must not be contradicted
    named = {option.partition(":")[0].strip() for option in theirs.split(",")}
    ours = [option for option in allocator.split(",") if option and option.partition(":")[0] not in named]
    return ",".join([theirs] * bool(theirs) + ours)


def torch_device(gpu: Gpu | None, machine: Machine) -> "torch.device":
    """The device for `torch.Tensor.to`; None is the CPU.

    Raises:
        NoDeviceError: torch does not see this GPU.
        MissingProgramError: it is DirectML's, and torch-directml is not installed.
    """
    import torch

    if gpu is None:
        return torch.device("cpu")
    if gpu.kind == "directml":
        return _directml(gpu)
    if gpu.kind == "cuda":
        return torch.device("cuda", _ordinal(gpu, machine))
    raise NoDeviceError(f"{gpu.device} ({gpu.name}) is of a kind that no image here uses", "set --device cpu or auto")


def _ordinal(gpu: Gpu, machine: Machine) -> int:
    """torch's number of a GPU: by its uuid where torch says one, else by its place among those CUDA shows."""
    import torch

    count = torch.cuda.device_count()
    if gpu.uuid is not None:
        bare = gpu.uuid.removeprefix("GPU-").removeprefix("MIG-").lower()
        ids = [str(getattr(torch.cuda.get_device_properties(place), "uuid", "")) for place in range(count)]
        same = [place for place, one in enumerate(ids) if one.removeprefix("GPU-").removeprefix("MIG-").lower() == bare]
        if len(same) == 1:
            return same[0]
    place = [each for each in machine.gpus if each.kind == "cuda"].index(gpu)
    if place < count:
        return place
    raise NoDeviceError(
        f"{gpu.device} ({gpu.name}) is in this computer, but torch {torch.__version__} sees {count} CUDA devices",
        "see why: voxmatrix doctor; in a container add --gpus all",
    )


def _directml(gpu: Gpu) -> "torch.device":
    try:
        import torch_directml  # type: ignore[import-not-found]
    except ImportError as error:
        raise MissingProgramError(
            f"{gpu.device} needs the package torch-directml, which is not installed here",
            "use the image directml-windows, or set --device cpu",
        ) from error
    return torch_directml.device(gpu.index)  # type: ignore[no-any-return]
