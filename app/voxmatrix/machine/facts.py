"""What a computer is, as facts. A fact that could not be read is None. No probing here, and no decisions.

The metadata of a field are bounds, as arguments of pydantic's Field: `machine.json_file` holds files against them. Only
that imports pydantic, which takes a tenth of a second.
"""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

if TYPE_CHECKING:
    from pydantic_core.core_schema import CoreSchema

Platform = Literal["linux", "windows", "macos"]
#: How torch reaches a GPU: NVIDIA's, DirectX 12's, Intel's, AMD's, Apple's.
GpuKind = Literal["cuda", "directml", "xpu", "rocm", "mps"]
#: Letters of any text among the facts.
LONGEST_TEXT = 200
_CAPABILITY = r"^[0-9]{1,3}\.[0-9]$"


class Capability(NamedTuple):
    """Compute capability of an NVIDIA GPU, e.g. 12.0."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """From "12.0".

        Raises:
            ValueError: it is not two numbers with a point between.
        """
        if re.fullmatch(_CAPABILITY, text) is None:
            raise ValueError(f"{text!r} is no compute capability such as 12.0")
        major, minor = text.split(".")
        return cls(int(major), int(minor))

    @property
    def sm(self) -> str:
        """As kernels are called: sm_120."""
        return f"sm_{self.major}{self.minor}"

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> "CoreSchema":
        """In files it is text."""
        from pydantic_core import core_schema

        return core_schema.no_info_after_validator_function(cls.parse, core_schema.str_schema(pattern=_CAPABILITY))


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """One GPU as its driver describes it. `index` counts in the order of the bus, as nvidia-smi does."""

    index: int = field(metadata={"lt": 1024})
    kind: GpuKind
    name: str | None = None
    uuid: str | None = None
    capability: Capability | None = None  # of kind cuda
    memory_mib: int | None = None  # None as well where GPU and CPU share their memory and the driver does not say
    free_mib: int | None = None
    driver: str | None = None
    unified: bool = False  # shares the memory of the computer (GB10, GH200, Jetson, integrated ones)
    mig: bool = False  # a slice of a GPU; its memory is the slice's

    @property
    def device(self) -> str:
        """As `--device` takes it: cuda:0."""
        return f"{self.kind}:{self.index}"


@dataclass(frozen=True, kw_only=True)
class TorchBuild:
    """The torch that is installed, without importing it."""

    version: str
    cuda: str | None = None  # that it was built with
    kernels: tuple[str, ...] = field(default=(), metadata={"max_length": 100})  # e.g. sm_90, sm_90a, compute_120


@dataclass(frozen=True, kw_only=True)
class Machine:
    """All that plans and verdicts may know of a computer."""

    platform: Platform
    architecture: str | None = None  # x86_64, aarch64, arm64 …
    wsl: bool = False
    container: bool = False
    cpu: str | None = None  # its name
    cpus: int = field(metadata={"ge": 1, "lt": 2**20})  # this process may keep busy: affinity and cgroup
    memory_mib: int | None = None  # this process may use: the computer's or the cgroup's, whichever is less
    available_mib: int | None = None  # of it, now
    shm_mib: int | None = None  # free in /dev/shm; None where there is no such place
    gpus: tuple[Gpu, ...] = field(default=(), metadata={"max_length": 256})
    torch: TorchBuild | None = None
    flash_attention: str | None = None  # its version
    image: str | None = None  # the row of docker/images.toml that this is, in a container of ours


def printable(text: str) -> str | None:
    """A name as facts hold it: one line that a terminal may show; None when nothing is left of it."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:LONGEST_TEXT] or None
