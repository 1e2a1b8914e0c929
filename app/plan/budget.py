"""How much memory a training may take on a device, and how much it will take. Pure."""

from dataclasses import dataclass

from app.machine.facts import Gpu, Machine
from app.tables.memory import MemoryRow, MemoryTable, memory_table


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Memory that may be taken, None where nobody says how much there is, and from which value that follows."""

    mib: float | None
    why: str


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
    share = memory_table().gpu_share
    if gpu.free_mib is not None:
        return _part(gpu.free_mib, share, "of {} MiB free on the GPU")
    if gpu.memory_mib is not None:
        return _part(gpu.memory_mib, share, "of {} MiB on the GPU; how much is free was not read")
    return Budget(mib=None, why="how much memory the GPU has could not be read")


@dataclass(frozen=True, kw_only=True)
class Need:
    """What a batch takes of it: an estimate."""

    row: MemoryRow
    table: MemoryTable
    seconds: float  # of every clip
    half: bool
    devices: int = 1  # that share a batch

    def mib(self, batch_size: int, checkpointed: bool) -> float:
        """With so many clips: what each device takes."""
        batch_size = -(-batch_size // self.devices)
        clip = self.row.clip_mib(self.seconds, self.half) * (self.row.checkpointed if checkpointed else 1.0)
        return self.table.process_mib + self.row.base_mib + batch_size * clip * self.table.overhead

    def fits(self, batch_size: int, checkpointed: bool, budget: Budget) -> bool:
        """Whether the budget holds it; False where there is none."""
        return budget.mib is not None and self.mib(batch_size, checkpointed) <= budget.mib


def _part(mib: int, share: float, why: str) -> Budget:
    return Budget(mib=mib * share, why=f"{share:.0%} {why.format(mib)}")
