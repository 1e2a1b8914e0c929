"""The memory budget of a device, and the memory that a training needs. Pure.

The need is a line through the points that `train --tune` measured, or else comes from the tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.profile import BatchFigures, Measurement, Profile, torch_series
from voxmatrix.tables.training import MemoryRow, MemoryTable, Precision, memory_table


@dataclass(frozen=True, kw_only=True)
class MemoryLine:
    """Memory as a function of the batch size, on one device model."""

    base_mib: float
    clip_mib: float
    seconds: float  # length of every clip
    date: str

    def mib(self, clips: int, seconds: float) -> float:
        """Memory for a batch of clips of this length: proportional for longer clips, unchanged for shorter ones."""
        return self.base_mib + clips * self.clip_mib * max(1.0, seconds / self.seconds)


def measured_lines(
    profile: Profile | None, quality: str, precision: Precision, machine: Machine
) -> dict[bool, MemoryLine]:
    """Lines by gradient checkpointing. Measurements with this computer's torch are preferred, then the latest."""
    if profile is None:
        return {}
    series = None if machine.torch is None else torch_series(machine.torch.version)
    found = [one for one in profile.measurements if (one.quality, one.precision) == (quality, precision)]
    found.sort(key=lambda one: (torch_series(one.torch) == series, one.date))
    lines = ((one.gradient_checkpointing, _line(one)) for one in found)
    return {checkpointed: line for checkpointed, line in lines if line is not None}


def _line(measurement: Measurement) -> MemoryLine | None:
    """A least-squares line, raised so that no point is above it; None if the points do not determine one."""
    sizes = measurement.sizes
    if not sizes:
        return None
    clip_mib = _slope(sizes)
    if clip_mib <= 0:
        return None
    base = max(size.peak_mib - size.batch_size * clip_mib for size in sizes)
    return MemoryLine(base_mib=max(0.0, base), clip_mib=clip_mib, seconds=measurement.seconds, date=measurement.date)


def _slope(sizes: tuple[BatchFigures, ...]) -> float:
    if len(sizes) == 1:  # the base is unknown; attributing it to the clips overestimates larger batches
        return sizes[0].peak_mib / sizes[0].batch_size
    mean_batch = sum(size.batch_size for size in sizes) / len(sizes)
    mean_peak = sum(size.peak_mib for size in sizes) / len(sizes)
    covariance = sum((size.batch_size - mean_batch) * (size.peak_mib - mean_peak) for size in sizes)
    return covariance / sum((size.batch_size - mean_batch) ** 2 for size in sizes)


@dataclass(frozen=True, kw_only=True)
class Budget:
    """Memory that a training may use (None: unknown), and how it was derived."""

    mib: float | None
    why: str
    measured: Self | None = None  # the budget for a measured need, which requires no margin for errors of estimation
    limit_mib: int | None = None  # with more than that, the system kills the process

    def when(self, measured: bool) -> "Budget":
        """The budget for a need that is measured or, if not, estimated."""
        return self.measured if measured and self.measured is not None else self


def shares_memory(gpu: Gpu) -> bool:
    """Whether CPU and GPU share memory, according to the driver or to the table for this GPU model."""
    table = memory_table()
    if gpu.target in table.unified_targets and (gpu.memory_mib or 0) < table.own_mib:
        return True
    return gpu.unified or gpu.capability in table.unified


def memory_budget(gpu: Gpu | None, machine: Machine) -> Budget:
    """A share of the free memory of the device; a smaller share if CPU and GPU use the same memory."""
    if gpu is not None and not shares_memory(gpu):
        return _own(gpu)
    share = memory_table().shared_share
    source = "the GPU shares the computer's memory" if gpu else "the computer's memory"
    if machine.available_mib is not None:
        part = _part(machine.available_mib, share, f"of {{}} MiB available: {source}")
        return replace(part, limit_mib=max(machine.memory_mib or 0, machine.available_mib))
    if machine.memory_mib is not None:
        return replace(_part(machine.memory_mib, share, f"of {{}} MiB: {source}"), limit_mib=machine.memory_mib)
    return Budget(mib=None, why="the computer's memory size could not be read")


def _own(gpu: Gpu) -> Budget:
    mib = gpu.memory_mib if gpu.free_mib is None else gpu.free_mib
    if mib is None:
        return Budget(mib=None, why="the GPU's memory size could not be read")
    why = "of {} MiB on the GPU (free memory unknown)" if gpu.free_mib is None else "of {} MiB free on the GPU"
    shares = memory_table()
    return replace(_part(mib, shares.gpu_share, why), measured=_part(mib, shares.measured_share, why))


@dataclass(frozen=True, kw_only=True)
class Need:
    """The memory that a batch needs: as measured on this device model, or estimated."""

    row: MemoryRow
    table: MemoryTable
    seconds: float  # length of every clip
    half: bool  # whether the precision has 16 bits
    devices: int = 1  # devices that share a batch
    lines: Mapping[bool, MemoryLine] = field(default_factory=dict)  # measurements, by gradient checkpointing

    def mib(self, batch_size: int, checkpointed: bool) -> float:
        """Memory per device for a batch of this size."""
        clips = -(-batch_size // self.devices)
        if checkpointed in self.lines:
            return self.lines[checkpointed].mib(clips, self.seconds)
        clip = self.row.clip_mib(self.seconds, self.half) * (self.row.checkpointed if checkpointed else 1.0)
        return self.table.process_mib + self.row.base_mib + clips * clip * self.table.overhead

    @property
    def least_mib(self) -> float:
        """Memory without which not even a single clip can be trained, with gradient checkpointing and no margin."""
        clip = self.row.clip_mib(self.seconds, self.half) * self.row.checkpointed
        return self.table.least_mib + self.row.base_mib + clip

    def measured(self, checkpointed: bool) -> bool:
        """Whether the need is measured rather than estimated."""
        return checkpointed in self.lines

    def basis(self, checkpointed: bool) -> str:
        """Where the estimate comes from, for the reason of a setting."""
        line = self.lines.get(checkpointed)
        return "estimated" if line is None else f"measured by train --tune on {line.date}"

    def fits(self, batch_size: int, checkpointed: bool, budget: Budget) -> bool:
        """Whether the batch fits into the budget; False if the budget is unknown."""
        limit = budget.when(self.measured(checkpointed)).mib
        return limit is not None and self.mib(batch_size, checkpointed) <= limit


def _part(mib: int, share: float, why: str) -> Budget:
    return Budget(mib=mib * share, why=f"{share:.0%} {why.format(mib)}")
