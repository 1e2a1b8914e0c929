"""GPUs: NVIDIA's architectures, drivers, their errors and rules for which kernels run where, and Intel's targets.

Read from architectures.toml, drivers.toml, driver_errors.toml, compatibility.toml and intel_targets.toml.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from voxmatrix.tables import rows
from voxmatrix.tables.rows import CapabilityPair


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """One row of architectures.toml."""

    capability: CapabilityPair
    architecture: str
    products: tuple[str, ...]
    bf16: bool
    tf32: bool
    flash: bool
    advice: tuple[str, ...]
    source: str


@cache
def architectures() -> dict[CapabilityPair, Architecture]:
    """All rows by capability."""
    return {rows.capability(key): _architecture(key, row) for key, row in rows.read("architectures.toml").items()}


def architecture(capability: CapabilityPair) -> Architecture | None:
    """The row of a capability; None if it is not in the table."""
    return architectures().get(capability)


def _architecture(key: str, row: dict[str, Any]) -> Architecture:
    frozen: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Architecture(capability=rows.capability(key), **frozen)


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
    boards: dict[CapabilityPair, str]  # by capability: the system of a board, which contains its driver

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

    def on(self, windows: bool, version: str) -> str:
        """The driver of a system that has what this one of Linux has; the same version if no row names it."""
        same = (floor for floor in (*self.minor_compatible.values(), *self.toolkits.values()) if floor.linux == version)
        return next((floor.on(windows) for floor in same), version)


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
        boards={rows.capability(row["capability"]): row["system"] for row in table["board"]},
    )


def _floor(row: dict[str, Any]) -> Floor:
    return Floor(linux=row["linux"], windows=row["windows"], source=row["source"])


Form = Literal["sm", "compute"]
CapabilityMatch = Literal["same", "least"]


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """Kernels for one target, e.g. sm_90a: machine code (sm) or PTX (compute)."""

    form: str
    capability: CapabilityPair
    suffix: str

    def __str__(self) -> str:
        return f"{self.form}_{self.capability[0]}{self.capability[1]}{self.suffix}"


@dataclass(frozen=True, kw_only=True)
class Target:
    """A form and suffix of kernel names, and the GPUs on which such kernels run."""

    form: Form
    suffix: str
    major: CapabilityMatch
    minor: CapabilityMatch
    source: str

    def reaches(self, kernel: CapabilityPair, gpu: CapabilityPair) -> bool:
        """Whether such kernels run on a GPU of this capability."""
        if self.major == "least":
            return gpu >= kernel
        return gpu == kernel if self.minor == "same" else gpu[0] == kernel[0] and gpu >= kernel


@dataclass(frozen=True, kw_only=True)
class Exemption:
    """Machine code that does not run on some GPUs although its target allows it."""

    kernels: tuple[CapabilityPair, ...]
    not_on: tuple[CapabilityPair, ...]
    lifted_from: tuple[int, ...] | None
    source: str

    def holds(self, kernel: CapabilityPair, gpu: CapabilityPair, cuda: tuple[int, ...] | None) -> bool:
        """Whether it excludes this kernel from this GPU, in a torch built with this CUDA."""
        lifted = self.lifted_from is not None and cuda is not None and cuda >= self.lifted_from
        return not lifted and kernel in self.kernels and gpu in self.not_on


@dataclass(frozen=True, kw_only=True)
class Compatibility:
    """The rules of compatibility.toml."""

    targets: dict[tuple[str, str], Target]
    exemptions: tuple[Exemption, ...]
    aliases: dict[CapabilityPair, CapabilityPair]

    def runs(self, kernel: Kernel, gpu: CapabilityPair, cuda: str | None) -> bool:
        """Whether this kernel runs on a GPU of this capability, in a torch built with this CUDA."""
        built_for, present = (self.aliases.get(name, name) for name in (kernel.capability, gpu))
        if not self.targets[kernel.form, kernel.suffix].reaches(built_for, present):
            return False
        exempt = (exemption.holds(built_for, present, rows.version(cuda)) for exemption in self.exemptions)
        return kernel.form == "compute" or not any(exempt)


@cache
def compatibility() -> Compatibility:
    """The rules, read once."""
    table = rows.read("compatibility.toml")
    targets = [Target(**row) for row in table["target"]]
    return Compatibility(
        targets={(target.form, target.suffix): target for target in targets},
        exemptions=tuple(
            Exemption(
                kernels=tuple(map(rows.capability, row["kernels"])),
                not_on=tuple(map(rows.capability, row["not_on"])),
                lifted_from=rows.known_version(row["lifted_from"]) if row["lifted_from"] else None,
                source=row["source"],
            )
            for row in table["exemption"]
        ),
        aliases={rows.capability(row["old"]): rows.capability(row["new"]) for row in table["alias"]},
    )


def parse_kernel(text: str) -> Kernel | None:
    """Parse a name such as sm_90a or compute_120; None for anything else (e.g. AMD's gfx942)."""
    found = re.fullmatch(r"(sm|compute)_(\d{1,3})(\d)([af]?)", text, re.ASCII)
    if found is None:
        return None
    return Kernel(form=found[1], capability=(int(found[2]), int(found[3])), suffix=found[4])


@cache
def intel_targets() -> dict[str, str]:
    """PCI id → name of the target. PCI ids are lower-case and start with 0x."""
    return {pci_id: row["target"] for row in rows.read("intel_targets.toml")["row"] for pci_id in row["pci_ids"]}


def intel_target(pci_id: str) -> str | None:
    """The target of the GPU with this PCI id, e.g. 0xe20b; None for one that torch's XPU builds are not made for."""
    return intel_targets().get(pci_id.strip().lower())


_LIBRARIES = {"nvml": "NVML", "cuda": "CUDA"}


@dataclass(frozen=True, kw_only=True)
class DriverError:
    """A row of driver_errors.toml: a sentence without a full stop, and what to type."""

    problem: str
    remedy: str


@cache
def _driver_errors() -> dict[str, dict[str, DriverError]]:
    return {
        library: {code: DriverError(**row) for code, row in table.items()}
        for library, table in rows.read("driver_errors.toml").items()
    }


def driver_error(name: str) -> DriverError:
    """The row for an error such as "nvml 18", "cuda 802" or "cuda missing"; its problem ends with the code.

    Raises:
        KeyError: the library is neither nvml nor cuda.
    """
    library, _, code = name.partition(" ")
    row = _driver_errors()[library].get(code) or _driver_errors()[library]["other"]
    number = f" ({_LIBRARIES[library]} error {code})" if code.isdecimal() else ""
    return DriverError(problem=f"{row.problem}{number}", remedy=row.remedy)
