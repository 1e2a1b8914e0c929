"""Rules for which kernels run on which GPU, read from compatibility.toml."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from voxmatrix.tables import rows
from voxmatrix.tables.rows import CapabilityPair

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
