"""One row of a benchmark: a device, a precision, and its figures or the problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voxmatrix.bench.benchmarks import Figures
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU


@dataclass(frozen=True, kw_only=True)
class BenchRow:
    """The result of one part. `problem` is "" if it was measured; otherwise `exit_code` belongs to the problem."""

    device: str  # cpu, cuda:0 …
    name: str | None  # of the GPU or the processor
    format: str  # the precision; "" if the child failed before the first part
    parameters: Mapping[str, int] = field(default_factory=dict)  # shown with the row, e.g. the batch size
    figures: Figures = field(default_factory=dict)
    problem: str = ""
    exit_code: int = 0

    @property
    def measured(self) -> bool:
        """Whether there are figures."""
        return not self.problem

    def speed(self, key: str) -> float | None:
        """The figure with this key; higher is better."""
        return self.figures.get(key)


def named(gpu: Gpu | None, machine: Machine) -> tuple[str, str | None]:
    """The device and its model name."""
    return (CPU, machine.cpu) if gpu is None else (gpu.device, gpu.name)


def times_cpu(row: BenchRow, rows: Sequence[BenchRow], key: str) -> float | None:
    """Speed relative to the fastest row of the CPU; None if either was not measured."""
    own = row.speed(key)
    cpu_speeds = [speed for other in rows if other.device == CPU and (speed := other.speed(key)) is not None]
    cpu = max(cpu_speeds, default=None)
    return own / cpu if own is not None and cpu else None
