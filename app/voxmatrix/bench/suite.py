"""A benchmark on several devices, one after the other."""

from collections.abc import Callable
from dataclasses import dataclass

from voxmatrix.bench.measure import BenchJob, measure
from voxmatrix.bench.row import BenchRow, named
from voxmatrix.bench.train import TrainBench
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine


@dataclass(frozen=True, kw_only=True)
class BenchSuite:
    """The devices to measure; None among the GPUs is the CPU."""

    machine: Machine
    gpus: tuple[Gpu | None, ...]
    findings: tuple[Finding, ...]
    limit_seconds: float  # per device
    on_device: Callable[[str], None] = lambda device: None

    def run(self, job_of: Callable[[Gpu | None], BenchJob]) -> list[BenchRow]:
        """Measure every device, each in a child process of its own."""
        rows: list[BenchRow] = []
        for gpu in self.gpus:
            job = job_of(gpu)
            parameters = {"batch_size": job.batch_size} if isinstance(job, TrainBench) else {}
            device, _ = named(gpu, self.machine)
            self.on_device(device + "".join(f", batch {size}" for size in parameters.values()))
            rows += measure(job, gpu, self.machine, self.limit_seconds, parameters)
        return rows
