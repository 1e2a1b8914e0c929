"""GPU support of each image, read from images.toml."""

from dataclasses import dataclass
from functools import cache

from voxmatrix.tables import rows
from voxmatrix.tables.gpus import Kernel, parse_kernel
from voxmatrix.tables.rows import CapabilityPair

CPU, DIRECTML = "cpu", "directml-windows"


@dataclass(frozen=True, kw_only=True)
class Image:
    """One row of images.toml."""

    name: str
    torch: str
    cuda: str  # "" for a torch without CUDA
    build: str  # of a torch that is only on torch's own index: rocm7.2, xpu, cu126; else ""
    kinds: tuple[str, ...]
    architectures: tuple[str, ...]  # of the processors that it exists for
    kernels: dict[str, tuple[Kernel, ...]]  # of CUDA, by processor architecture
    targets: dict[str, tuple[str, ...]]  # the same for other builds: gfx1100, bmg
    oldest_driver: str
    from_capability: CapabilityPair | None
    source: str

    def is_for(self, architecture: str | None) -> bool:
        """Whether it exists for this architecture; an unknown one (None) is taken for one that it exists for."""
        return architecture is None or _alias(architecture) in self.architectures

    def kernels_on(self, architecture: str | None) -> tuple[Kernel, ...]:
        """The kernels of its torch on this architecture; if None, those of all architectures."""
        if architecture is None:
            return tuple(kernel for kernels in self.kernels.values() for kernel in kernels)
        return self.kernels.get(_alias(architecture), ())

    def targets_on(self, architecture: str | None) -> tuple[str, ...]:
        """The targets of its torch on this architecture; if None, those of all architectures."""
        if architecture is None:
            return tuple(target for targets in self.targets.values() for target in targets)
        return self.targets.get(_alias(architecture), ())


#: Names of architectures on Windows and in some containers.
_ALIASES = {"amd64": "x86_64", "arm64": "aarch64"}


def _alias(architecture: str) -> str:
    return _ALIASES.get(architecture.lower(), architecture.lower())


@cache
def images() -> dict[str, Image]:
    """All images by name."""
    return {
        name: Image(
            name=name,
            torch=row["torch"],
            cuda=row["cuda"],
            build=row["build"],
            kinds=tuple(row["kinds"]),
            architectures=tuple(row["architectures"]),
            kernels={where: tuple(map(_kernel, names)) for where, names in row["kernels"].items() if row["cuda"]},
            targets={where: tuple(names) for where, names in row["kernels"].items() if not row["cuda"]},
            oldest_driver=row["oldest_driver"],
            from_capability=rows.capability(row["from_capability"]) if row["from_capability"] else None,
            source=row["source"],
        )
        for name, row in rows.read("images.toml").items()
    }


def _kernel(text: str) -> Kernel:
    kernel = parse_kernel(text)
    if kernel is None:
        raise ValueError(f"{text!r} is not a kernel name such as sm_90")
    return kernel
