"""How much memory a training may take on a device, and how much it will take. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.measured_memory import MemoryLine
from voxmatrix.tables.memory import MemoryRow, MemoryTable, memory_table


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Memory that may be taken, None where nobody says how much there is, and from which value that follows."""

    mib: float | None
    why: str
    measured: Self | None = None  # where what is taken is measured: nothing need be left for a wrong estimate

    def when(self, measured: bool) -> "Budget":
        """The budget for a need that is measured, or estimated."""
        return self.measured if measured and self.measured is not None else self


def shares_memory(gpu: Gpu) -> bool:
    """Whether CPU and GPU have one memory, as the driver says or as is known of this kind."""
    return gpu.unified or gpu.capability in memory_table().unified


def memory_budget(gpu: Gpu | None, machine: Machine) -> Budget:
    """A share of what is free on the device; of a memory that CPU and GPU share, a smaller one."""
    if gpu is not None and not shares_memory(gpu):
        return _own(gpu)
    share, whose = memory_table().shared_share, "the GPU shares the computer's memory" if gpu else "the CPU's memory"
    if machine.available_mib is not None:
        return _part(machine.available_mib, share, f"of {{}} MiB available: {whose}")
    if machine.memory_mib is not None:
        return _part(machine.memory_mib, share, f"of {{}} MiB: {whose}")
    return Budget(mib=None, why="how much memory there is could not be read")


def _own(gpu: Gpu) -> Budget:
    free, whole = gpu.free_mib, gpu.memory_mib
    mib = whole if free is None else free
    if mib is None:
        return Budget(mib=None, why="how much memory the GPU has could not be read")
    why = "of {} MiB on the GPU; how much is free was not read" if free is None else "of {} MiB free on the GPU"
    shares = memory_table()
    return replace(_part(mib, shares.gpu_share, why), measured=_part(mib, shares.measured_share, why))


@dataclass(frozen=True, kw_only=True)
class Need:
    """What a batch takes of it: as it was measured on such a device, else an estimate."""

    row: MemoryRow
    table: MemoryTable
    seconds: float  # of every clip
    half: bool
    devices: int = 1  # that share a batch
    lines: Mapping[bool, MemoryLine] = field(default_factory=dict)  # what was measured, by whether it is checkpointed

    def mib(self, batch_size: int, checkpointed: bool) -> float:
        """With so many clips: what each device takes."""
        clips = -(-batch_size // self.devices)
        if checkpointed in self.lines:
            return self.lines[checkpointed].mib(clips, self.seconds)
        clip = self.row.clip_mib(self.seconds, self.half) * (self.row.checkpointed if checkpointed else 1.0)
        return self.table.process_mib + self.row.base_mib + clips * clip * self.table.overhead

    def measured(self, checkpointed: bool) -> bool:
        """Whether it is measured, or an estimate."""
        return checkpointed in self.lines

    def basis(self, checkpointed: bool) -> str:
        """The same in words."""
        line = self.lines.get(checkpointed)
        return "an estimate" if line is None else f"measured by train --tune on {line.date}"

    def fits(self, batch_size: int, checkpointed: bool, budget: Budget) -> bool:
        """Whether the budget holds it; False where there is none."""
        most = budget.when(self.measured(checkpointed)).mib
        return most is not None and self.mib(batch_size, checkpointed) <= most


def _part(mib: int, share: float, why: str) -> Budget:
    return Budget(mib=mib * share, why=f"{share:.0%} {why.format(mib)}")
