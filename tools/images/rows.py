"""The rows of docker/images.toml, read and validated. Standard library only."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from tools.images.flash_archs import flash_archs
from tools.images.row_shapes import KERNEL, MEMBERS, TARGETS, TEXTS

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docker" / "images.toml"

CHANNELS = ("stable", "nightly", "build-only")
STATUSES = ("tested", "build-only", "not run")
NOT_RUN = "not run"

_MACHINES = {"linux/amd64": "x86_64", "linux/arm64": "aarch64", "windows/amd64": "x86_64"}


class MatrixError(Exception):
    """A row of the table is invalid; the message names the row, the field and the value."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One image."""

    name: str
    dockerfile: str
    base: str
    python: str
    channel: str
    torch: str
    torchaudio: str
    cuda: str
    index: str
    capabilities: tuple[str, ...]
    oldest_driver: str
    platforms: tuple[str, ...]
    extras: tuple[str, ...]
    size_mb: int
    status: str
    source: str
    base_digest: str = ""
    torch_build: str = ""
    packages: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    kernels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    from_capability: str = ""
    flash_attn: str = ""
    toolkit: str = ""
    instead: str = ""
    in_ci: bool = False
    note: str = ""
    advisory: str = ""  # a known vulnerability, and what to do about it

    def __post_init__(self) -> None:
        for check in (self._check_texts, self._check_lists, self._check_kernels, self._check_sense):
            check()

    def _wrong(self, name: str, must: str) -> MatrixError:
        return MatrixError(f"[{self.name}] {name} is {getattr(self, name)!r}, must be {must}")

    def _check_texts(self) -> None:
        for name, (pattern, description) in TEXTS.items():
            value = getattr(self, name)
            if not isinstance(value, str) or not re.fullmatch(pattern, value):
                raise self._wrong(name, description)
        for name, known in (("channel", CHANNELS), ("status", STATUSES)):
            if getattr(self, name) not in known:
                raise self._wrong(name, f"one of {', '.join(known)}")
        if type(self.size_mb) is not int or self.size_mb < (0 if self.status == NOT_RUN else 1):
            raise self._wrong("size_mb", "a number of 10^6 bytes")
        if type(self.in_ci) is not bool:
            raise self._wrong("in_ci", "true or false")

    def _check_lists(self) -> None:
        for name, (pattern, description) in MEMBERS.items():
            value = getattr(self, name)
            if not isinstance(value, tuple):
                raise self._wrong(name, "a list")
            if not all(isinstance(text, str) and re.fullmatch(pattern, text) for text in value):
                raise self._wrong(name, f"a list of {description}")
        if not self.platforms:
            raise MatrixError(f"[{self.name}] platforms is empty")

    def _check_kernels(self) -> None:
        if not isinstance(self.kernels, Mapping):
            raise self._wrong("kernels", "a table of lists")
        for names in self.kernels.values():
            shape = KERNEL if self.cuda else TARGETS.get(self._torch_kind, KERNEL)
            if not isinstance(names, tuple) or not all(re.fullmatch(shape, str(name)) for name in names):
                raise self._wrong("kernels", "lists such as sm_90, compute_120; for ROCm gfx1100, for XPU bmg")
        missing = {_MACHINES[platform] for platform in self.platforms} - self.kernels.keys()
        if (self.cuda or self.torch_build) and missing:
            raise MatrixError(f"[{self.name}] kernels lacks {', '.join(sorted(missing))}")

    def _check_sense(self) -> None:
        if (".dev" in self.torch) != (self.channel == "nightly"):
            raise MatrixError(f"[{self.name}] channel is {self.channel!r} but torch is {self.torch!r}")
        if bool(self.instead) != (self.channel == "nightly"):
            raise MatrixError(
                f"[{self.name}] instead is {self.instead!r}: required for a nightly, not allowed for other rows"
            )
        if self.torch_build and bool(self.cuda) != self.torch_build.startswith("cu"):
            raise self._wrong("torch_build", "cuXYZ for a torch with CUDA, and only for one")
        if self.cuda and self.torch_build not in ("", of_cuda(self.cuda)):
            raise self._wrong("torch_build", f"{of_cuda(self.cuda)} for CUDA {self.cuda}")
        for name in ("capabilities", "kernels", "from_capability", "oldest_driver"):
            if name == "kernels" and self.torch_build:
                continue
            if bool(getattr(self, name)) != bool(self.cuda):
                raise MatrixError(f"[{self.name}] {name} and cuda must be set together, or neither")
        if (self.flash_attn and not self.flash_archs) or (self.toolkit and not self.flash_attn):
            raise self._wrong("flash_attn", "set only with a capability of 8.0 or more, and whenever toolkit is set")

    @property
    def image(self) -> str:
        """The tag of the built image."""
        return f"voxmatrix:{self.name}"

    @property
    def torch_local(self) -> str:
        """The local version of this row's torch: `cpu`, `cu124`, `rocm7.2`."""
        return self.torch_build or (of_cuda(self.cuda) if self.cuda else "cpu")

    @property
    def index_variable(self) -> str:
        """The environment variable that names the index of this row's torch."""
        return f"VOXMATRIX_TORCH_INDEX_{self.name.upper().replace('-', '_')}"

    @property
    def pins(self) -> str:
        """The locked requirements, relative to the root of the repository."""
        return f"docker/pins/{self.name}.txt"

    @property
    def flash_pins(self) -> str:
        """The locked requirements for compiling and running flash-attn, in addition to those of the image."""
        return f"docker/pins/flash-attn-{self.name}.txt"

    @property
    def cluster_image(self) -> str:
        """The tag of the image with Celery, Flower and Redis."""
        return f"{self.image}-cluster"

    @property
    def wheelhouse(self) -> str:
        """The folder of local wheels, relative to the root of the repository."""
        return f"wheelhouse/{self.name}"

    @property
    def gpu_kinds(self) -> tuple[str, ...]:
        """Kinds of GPU that the image can use."""
        return self.kinds or tuple(filter(None, ("cuda" if self.cuda else self._torch_kind,)))

    @property
    def _torch_kind(self) -> str:
        """The kind of GPU that a build of torch without CUDA is for: rocm, xpu or ""."""
        return self.torch_build.rstrip(".0123456789")

    @property
    def architectures(self) -> tuple[str, ...]:
        """The architectures of the processors that it is built for: x86_64, aarch64."""
        return tuple(_MACHINES[platform] for platform in self.platforms)

    @property
    def can_be_built(self) -> bool:
        """Whether Docker on Linux can build the image."""
        return self.system == "linux"

    @property
    def system(self) -> str:
        """The operating system of the image: linux or windows."""
        return self.platforms[0].partition("/")[0]

    @property
    def torch_arch_list(self) -> str:
        """TORCH_CUDA_ARCH_LIST for torch extensions: machine code for each capability, and PTX for later GPUs."""
        return ";".join(self.capabilities) + "+PTX" if self.capabilities else ""

    @property
    def flash_archs(self) -> str:
        """FLASH_ATTN_CUDA_ARCHS for the capabilities of the row that flash-attn supports."""
        return flash_archs(self.capabilities)

    def kernels_on(self, platform: str) -> tuple[str, ...]:
        """The kernels of the row's torch on a platform such as linux/amd64."""
        return self.kernels.get(_MACHINES.get(platform, ""), ())


def of_cuda(version: str) -> str:
    """The local version of torch builds for this CUDA: cu126 for 12.6."""
    return f"cu{version.replace('.', '')}"


def read(text: str) -> dict[str, Row]:
    """Parse a table of images into rows by name.

    Raises:
        MatrixError: the table is invalid.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MatrixError(f"invalid TOML: {error}") from error
    found = {name: _row(name, columns) for name, columns in table.items()}
    for row in found.values():
        if row.instead and (row.instead not in found or found[row.instead].channel != "stable"):
            raise MatrixError(f"[{row.name}] instead is {row.instead!r}, which is not a stable row")
    return found


def rows() -> dict[str, Row]:
    """The rows of docker/images.toml."""
    return read(TABLE.read_text(encoding="utf-8"))


def _row(name: str, columns: Any) -> Row:
    if not isinstance(columns, dict):
        raise MatrixError(f"{name} is outside of a row")
    known = {column.name for column in fields(Row)} - {"name"}
    optional = {column.name for column in fields(Row) if _has_default(column)}
    if unknown := sorted(columns.keys() - known):
        raise MatrixError(f"[{name}] has unknown fields: {', '.join(unknown)}")
    if absent := sorted(known - optional - columns.keys()):
        raise MatrixError(f"[{name}] lacks: {', '.join(absent)}")
    return Row(name=name, **{key: _frozen(value) for key, value in columns.items()})


def _has_default(column: Field[Any]) -> bool:
    return column.default is not MISSING or column.default_factory is not MISSING


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(item) for key, item in value.items()}
    return tuple(value) if isinstance(value, list) else value
