"""What each image offers a GPU, read from images.toml."""

from dataclasses import dataclass
from functools import cache

from voxmatrix.tables import rows
from voxmatrix.tables.compatibility import Kernel, parse_kernel
from voxmatrix.tables.rows import CapabilityPair

CPU, DIRECTML = "cpu", "directml-windows"


@dataclass(frozen=True, kw_only=True)
class Image:
    """One row of images.toml."""

    name: str
    torch: str
    cuda: str  # "" on a torch without CUDA
    kinds: tuple[str, ...]
    kernels: dict[str, tuple[Kernel, ...]]  # by the computer's architecture
    oldest_driver: str
    from_capability: CapabilityPair | None
    source: str

    def __post_init__(self) -> None:
        rows.known_version(self.torch)
        if ("cuda" in self.kinds) != bool(self.cuda and self.oldest_driver and self.kernels and self.from_capability):
            raise ValueError(f"{self.name}: kind cuda needs cuda, kernels, oldest_driver and from_capability")

    def kernels_on(self, architecture: str | None) -> tuple[Kernel, ...]:
        """The kernels of its torch on this architecture; those of every one when it is not known."""
        if architecture is None:
            return tuple(kernel for each in self.kernels.values() for kernel in each)
        return self.kernels.get(_ALSO_CALLED.get(architecture.lower(), architecture.lower()), ())


#: Windows and some containers name architectures their own way.
_ALSO_CALLED = {"amd64": "x86_64", "arm64": "aarch64"}


@cache
def images() -> dict[str, Image]:
    """Every image by name."""
    return {
        name: Image(
            name=name,
            torch=row["torch"],
            cuda=row["cuda"],
            kinds=tuple(row["kinds"]),
            kernels={where: tuple(map(_kernel, names)) for where, names in row["kernels"].items()},
            oldest_driver=row["oldest_driver"],
            from_capability=rows.capability(row["from_capability"]) if row["from_capability"] else None,
            source=row["source"],
        )
        for name, row in rows.read("images.toml").items()
    }


def _kernel(text: str) -> Kernel:
    kernel = parse_kernel(text)
    if kernel is None:
        raise ValueError(f"{text!r} names no kernels such as sm_90")
    return kernel
