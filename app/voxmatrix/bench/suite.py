"""A benchmark on every device that was asked for: what is measured where, one device after the other."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from voxmatrix.bench.fits import too_large
from voxmatrix.bench.measure import BenchJob, measure
from voxmatrix.bench.row import BenchRow, named
from voxmatrix.bench.sweep import Suggestion, sweep
from voxmatrix.bench.train import TrainBench
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.precision import choose_precision, choose_tf32


@dataclass(frozen=True, kw_only=True)
class BenchSuite:
    """Where it is measured; None among the GPUs is the CPU."""

    machine: Machine
    gpus: tuple[Gpu | None, ...]
    findings: tuple[Finding, ...]
    limit_seconds: float  # for one device
    on_device: Callable[[str], None] = lambda what: None

    def each(self, job_of: Callable[[Gpu | None], BenchJob]) -> list[BenchRow]:
        """The rows of every device."""
        return [row for gpu in self.gpus for row in self._measure(gpu, job_of(gpu))]

    def sweep(self, job: TrainBench) -> tuple[list[BenchRow], list[Suggestion]]:
        """Every batch size on every device, and the best for each."""
        rows: list[BenchRow] = []
        suggestions: list[Suggestion] = []
        for gpu in self.gpus:
            planned = planned_for(gpu, job)

            def of_size(size: int, gpu: Gpu | None = gpu, planned: TrainBench = planned) -> BenchRow:
                return self._measure(gpu, replace(planned, batch_size=size))[0]

            found, suggestion = sweep(of_size, too_large(planned, gpu, self.machine))
            rows += found
            suggestions += [suggestion] if suggestion else []
        return rows, suggestions

    def _measure(self, gpu: Gpu | None, job: BenchJob) -> list[BenchRow]:
        given = {"batch_size": job.batch_size} if isinstance(job, TrainBench) else {}
        device, _ = named(gpu, self.machine)
        self.on_device(device + "".join(f", batch {size}" for size in given.values()))
        return measure(job, gpu, self.machine, self.limit_seconds, given)


def planned_for(gpu: Gpu | None, job: TrainBench) -> TrainBench:
    """The same training in the number formats that the plan has for this device."""
    precision, tf32 = choose_precision(gpu, None).value, choose_tf32(gpu, None).value
    return replace(job, precision=precision, tf32=tf32)
