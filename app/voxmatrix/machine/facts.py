"""Facts about a computer. A fact that could not be read is None. No probing and no decisions here.

The metadata of a field are bounds, as arguments of pydantic's Field: `machine.json_file` validates files against them.
Only that module imports pydantic, which takes a tenth of a second.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from pydantic_core.core_schema import CoreSchema

Platform = Literal["linux", "windows", "macos"]
#: torch backends: NVIDIA, DirectX 12, Intel, AMD, Apple.
GpuKind = Literal["cuda", "directml", "xpu", "rocm", "mps"]
#: The options of `docker run` that give GPUs to a container. The device files of AMD's and Intel's belong to a group.
CONTAINER_OPTIONS: dict[str, str] = {
    "cuda": "--gpus all",
    "rocm": '--device /dev/kfd --device /dev/dri --group-add "$(stat -c %g /dev/dri/renderD128)"',
    "xpu": '--device /dev/dri --group-add "$(stat -c %g /dev/dri/renderD128)"',
}
#: Maximum number of characters of a text fact.
MAX_TEXT_LENGTH = 200
#: The name of a kernel target: CUDA's sm_90a and compute_120, AMD's gfx90a, Intel's names such as bmg, arl-h.
KERNEL = r"(sm|compute)_[0-9]{2,4}[af]?|gfx[0-9a-f]{3,4}|[a-z]{2,4}[0-9]{0,3}(-[a-z0-9]{1,4})?"
#: The name of an error of NVIDIA's driver: nvml 18, cuda 802, cuda missing, nvml none.
DRIVER_ERROR = r"(nvml|cuda) (missing|none|[0-9]{1,6})"
_CAPABILITY = r"^[0-9]{1,3}\.[0-9]$"


class Capability(NamedTuple):
    """Compute capability of an NVIDIA GPU, e.g. 12.0."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse text such as "12.0".

        Raises:
            ValueError: the text is not two numbers separated by a dot.
        """
        if re.fullmatch(_CAPABILITY, text) is None:
            raise ValueError(f"{text!r} is not a compute capability such as 12.0")
        major, minor = text.split(".")
        return cls(int(major), int(minor))

    @property
    def sm(self) -> str:
        """The name of the kernel target: sm_120."""
        return f"sm_{self.major}{self.minor}"

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> "CoreSchema":
        """Written as text in files."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.parse, core_schema.str_schema(pattern=_CAPABILITY))


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """One GPU as its driver describes it. `index` follows PCI bus order, as in nvidia-smi."""

    index: int = field(metadata={"lt": 1024})
    kind: GpuKind
    name: str | None = None
    uuid: str | None = None
    capability: Capability | None = None  # of kind cuda
    target: str | None = None  # of kinds rocm and xpu: the name of its kernels in torch, e.g. gfx1100, bmg
    memory_mib: int | None = None  # also None if GPU and CPU share memory and the driver reports no size
    free_mib: int | None = None
    driver: str | None = None
    unified: bool = False  # shares the computer's memory (GB10, GH200, Jetson, integrated GPUs)
    mig: bool = False  # a MIG slice; memory_mib is that of the slice

    @property
    def device(self) -> str:
        """The name for `--device`: cuda:0."""
        return f"{self.kind}:{self.index}"


@dataclass(frozen=True, kw_only=True)
class TorchBuild:
    """The installed torch, described without importing it."""

    version: str
    cuda: str | None = None  # the CUDA version it was built with
    kernels: tuple[str, ...] = field(default=(), metadata={"max_length": 100})  # sm_90, compute_120; gfx1100; bmg
    hip: str | None = None  # the version of HIP it was built with, for ROCm
    xpu: str | None = None  # the version of Intel's compiler it was built with

    @property
    def built_for(self) -> GpuKind | None:
        """The kind of GPU that it was built for; None for a CPU build. Without other facts, its version says it."""
        built: dict[GpuKind, str | None] = {"cuda": self.cuda, "rocm": self.hip, "xpu": self.xpu}
        local = self.version.partition("+")[2]
        named = (kind for kind in built if local.startswith(kind))
        return next((kind for kind, version in built.items() if version is not None), None) or next(named, None)


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Everything that plans and verdicts may use about a computer."""

    platform: Platform
    architecture: str | None = None  # x86_64, aarch64, arm64 …
    wsl: bool = False
    container: bool = False
    cpu: str | None = None  # model name
    cpu_bf16: bool | None = None  # whether the CPU multiplies bf16 numbers (AVX512-BF16, AMX, Arm's BF16)
    cpus: int = field(metadata={"ge": 1, "lt": 2**20})  # CPUs available to this process: affinity and cgroup quota
    memory_mib: int | None = None  # memory limit of this process: the computer's or the cgroup's, whichever is less
    available_mib: int | None = None  # of which available now
    shm_mib: int | None = None  # free in /dev/shm; None if it does not exist
    gpus: tuple[Gpu, ...] = field(default=(), metadata={"max_length": 256})
    driver_error: str | None = None  # why NVIDIA's driver lists no GPUs: nvml 18 (tables/driver_errors.toml)
    hidden_gpus: int = field(default=0, metadata={"ge": 0, "le": 256})  # NVIDIA GPUs hidden by CUDA_VISIBLE_DEVICES
    visible_devices: str | None = None  # CUDA_VISIBLE_DEVICES, if it hides any
    torch: TorchBuild | None = None
    flash_attention: str | None = None  # installed version
    image: str | None = None  # the row of docker/images.toml, in a container from one of our images


def clean_text(text: str) -> str | None:
    """The text without unprintable characters, shortened to MAX_TEXT_LENGTH; None if nothing is left."""
    return "".join(char for char in text if char.isprintable()).strip()[:MAX_TEXT_LENGTH] or None
