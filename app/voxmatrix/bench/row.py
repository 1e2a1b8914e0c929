"""One line of a benchmark: a device, a number format, and its figures or the reason why there are none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voxmatrix.bench.benchmarks import Figures
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU


@dataclass(frozen=True, kw_only=True)
class BenchRow:
    """What came of one part. `problem` is "" where it was measured; exit_code is what the command then ends with."""

    device: str  # cpu, cuda:0 …
    name: str | None  # of the card or the processor
    format: str  # "" where it went wrong before any was begun
    given: Mapping[str, int] = field(default_factory=dict)  # what differs from row to row, e.g. the batch size
    figures: Figures = field(default_factory=dict)
    problem: str = ""
    exit_code: int = 0

    @property
    def measured(self) -> bool:
        """Whether there are figures."""
        return not self.problem

    def speed(self, key: str) -> float | None:
        """The figure of this name, of which more is better."""
        return self.figures.get(key)


def named(gpu: Gpu | None, machine: Machine) -> tuple[str, str | None]:
    """A device and what it is called."""
    return (CPU, machine.cpu) if gpu is None else (gpu.device, gpu.name)


def times_cpu(row: BenchRow, rows: Sequence[BenchRow], key: str) -> float | None:
    """How many times as fast as the CPU at its best; None where one of them was not measured."""
    own = row.speed(key)
    cpu = max((speed for each in rows if each.device == CPU and (speed := each.speed(key)) is not None), default=None)
    return own / cpu if own is not None and cpu else None
