"""The device that a voice is spoken on, as a value that can be passed to other processes. Imports no torch."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from voxmatrix.errors import Finding
from voxmatrix.wording import plain

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Gpu, GpuKind, Machine

#: Reports a finding to the user at once.
Warn = Callable[[Finding], None]


@dataclass(frozen=True, kw_only=True)
class FoundGpu:
    """A GPU and its computer."""

    gpu: "Gpu"
    machine: "Machine"

    def __str__(self) -> str:
        return f"{self.gpu.device} ({self.gpu.name or 'unnamed GPU'})"

    @property
    def place(self) -> int:
        """The index among the visible GPUs of its kind, which is how CUDA and DirectX number them."""
        return [gpu for gpu in self.machine.gpus if gpu.kind == self.gpu.kind].index(self.gpu)

    @property
    def by_torch(self) -> bool:
        """Whether the installed torch is built for GPUs like this one."""
        from voxmatrix.plan.device_selection import unsupported
        from voxmatrix.plan.verdict import assess

        torch = self.machine.torch
        if torch is None or torch.built_for != self.gpu.kind:
            return False
        return unsupported(self.gpu, self.machine, assess, "speak") is None


@dataclass(frozen=True, kw_only=True)
class SpeakDevice:
    """The device that computes a voice."""

    on: FoundGpu | None = None  # None is the CPU
    required: bool = False  # do not fall back to the CPU

    def __str__(self) -> str:
        return "the CPU" if self.on is None else str(self.on)

    @property
    def in_batches(self) -> bool:
        """Whether one process computes many sentences at once there: several would only share the GPU."""
        return self.on is not None and self.on.by_torch


CPU = SpeakDevice()


class GpuSupport(NamedTuple):
    """What computes the voices of a family on a GPU, apart from checkpoints."""

    kinds: "frozenset[GpuKind]"  # that need no torch
    by: str  # the program that computes them: onnxruntime
    remedy: str  # how to compute them on another GPU
    by_torch: bool = False  # torch computes them on the GPUs that it is built for


class DeviceSelection(NamedTuple):
    """The devices to use, best first, and findings about the choice."""

    devices: tuple[SpeakDevice, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def best(self) -> SpeakDevice:
        """The device for a single text."""
        return self.devices[0]


def python_warning(finding: Finding) -> None:
    """Report a finding as a Python warning."""
    warnings.warn(plain(f"{finding.problem} → {finding.remedy}"), RuntimeWarning, stacklevel=2)
