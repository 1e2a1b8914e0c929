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
#: Maximum number of characters of a text fact.
MAX_TEXT_LENGTH = 200
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
    kernels: tuple[str, ...] = field(default=(), metadata={"max_length": 100})  # e.g. sm_90, sm_90a, compute_120


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Everything that plans and verdicts may use about a computer."""

    platform: Platform
    architecture: str | None = None  # x86_64, aarch64, arm64 …
    wsl: bool = False
    container: bool = False
    cpu: str | None = None  # model name
    cpus: int = field(metadata={"ge": 1, "lt": 2**20})  # CPUs available to this process: affinity and cgroup quota
    memory_mib: int | None = None  # memory limit of this process: the computer's or the cgroup's, whichever is less
    available_mib: int | None = None  # of which available now
    shm_mib: int | None = None  # free in /dev/shm; None if it does not exist
    gpus: tuple[Gpu, ...] = field(default=(), metadata={"max_length": 256})
    torch: TorchBuild | None = None
    flash_attention: str | None = None  # installed version
    image: str | None = None  # the row of docker/images.toml, in a container from one of our images


def printable(text: str) -> str | None:
    """The text without unprintable characters, shortened to MAX_TEXT_LENGTH; None if nothing is left."""
    return "".join(char for char in text if char.isprintable()).strip()[:MAX_TEXT_LENGTH] or None
