"""The device that a voice is spoken on, as a value that other processes can be given. No torch."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine

#: Tells a person at once what he should know.
Warn = Callable[[Finding], None]


@dataclass(frozen=True, kw_only=True)
class FoundGpu:
    """A GPU, and the computer that it was found in."""

    gpu: Gpu
    machine: Machine

    def __str__(self) -> str:
        return f"{self.gpu.device} ({self.gpu.name or 'a GPU without a name'})"

    @property
    def place(self) -> int:
        """Its number among those of its kind that this process sees: how CUDA and DirectX count."""
        return [each for each in self.machine.gpus if each.kind == self.gpu.kind].index(self.gpu)


@dataclass(frozen=True, kw_only=True)
class SpeakDevice:
    """Where a voice is computed."""

    on: FoundGpu | None = None  # None is the CPU
    demanded: bool = False  # who asked for the GPU wants no CPU in its place

    def __str__(self) -> str:
        return "the CPU" if self.on is None else str(self.on)


CPU = SpeakDevice()


class DeviceSelection(NamedTuple):
    """The devices that share the texts, the best first, and what a person should know about the choice."""

    devices: tuple[SpeakDevice, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def best(self) -> SpeakDevice:
        """The device of a single text."""
        return self.devices[0]


def python_warning(finding: Finding) -> None:
    """Tell it to whoever listens to Python's warnings."""
    warnings.warn(f"{finding.problem} → {finding.remedy}", RuntimeWarning, stacklevel=2)
