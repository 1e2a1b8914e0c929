"""The NVIDIA driver required by a CUDA build of torch, read from drivers.toml."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from voxmatrix.tables import rows
from voxmatrix.tables.rows import CapabilityPair


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The oldest sufficient driver, as a version for Linux and for Windows (WSL2 reports the Windows driver)."""

    linux: str
    windows: str
    source: str

    def on(self, windows: bool) -> str:
        """The version for Windows or for Linux."""
        return self.windows if windows else self.linux


@dataclass(frozen=True, kw_only=True)
class Drivers:
    """The rows of drivers.toml."""

    minor_compatible: dict[int, Floor]  # by CUDA's major version
    toolkits: dict[tuple[int, ...], Floor]  # by CUDA's major and minor version
    capabilities: dict[int, Floor]  # by the GPU's major capability

    def oldest(self, cuda: str, gpu: CapabilityPair, windows: bool) -> str | None:
        """The oldest driver for machine code of this CUDA on this GPU; None if no row applies."""
        version = rows.version(cuda)
        floors = [self.minor_compatible.get(version[0]) if version else None, self.capabilities.get(gpu[0])]
        return newest(floor.on(windows) for floor in floors if floor)

    def oldest_for_ptx(self, cuda: str, gpu: CapabilityPair, windows: bool) -> str | None:
        """The oldest driver that compiles PTX of this CUDA for this GPU; None if no row applies."""
        version = rows.version(cuda)
        toolkit = self.toolkits.get(version[:2]) if version else None
        floors = (toolkit and toolkit.on(windows), self.oldest(cuda, gpu, windows))
        return newest(floor for floor in floors if floor)


def newest(versions: Iterable[str]) -> str | None:
    """The newest version; None if there are none."""
    return max(versions, key=rows.known_version, default=None)


@cache
def drivers() -> Drivers:
    """The rows, read once."""
    table = rows.read("drivers.toml")
    return Drivers(
        minor_compatible={rows.known_version(row["cuda"])[0]: _floor(row) for row in table["minor_compatible"]},
        toolkits={rows.known_version(row["cuda"]): _floor(row) for row in table["toolkit"]},
        capabilities={row["major"]: _floor(row) for row in table["capability"]},
    )


def _floor(row: dict[str, Any]) -> Floor:
    return Floor(linux=row["linux"], windows=row["windows"], source=row["source"])
