"""The result of a benchmark: rows of a device, a precision and its figures or problem, and the exit code. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voxmatrix.bench.benchmarks import Benchmark, Figures
from voxmatrix.errors import Finding
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


@dataclass(frozen=True, kw_only=True)
class BenchReport:
    """The result of `voxmatrix bench`."""

    kind: Benchmark
    about: str
    settings: Mapping[str, Any]
    machine: Machine
    rows: tuple[BenchRow, ...]
    findings: tuple[Finding, ...]

    @property
    def exit_code(self) -> int:
        """0 if anything was measured, else the exit code of the first problem."""
        return 0 if any(row.measured for row in self.rows) else self.rows[0].exit_code

    def times_cpu(self, row: BenchRow) -> float | None:
        """Speed relative to the CPU; None if either was not measured."""
        return times_cpu(row, self.rows, self.kind.speed)

    def to_json(self) -> dict[str, Any]:
        """The object of `bench --json`; null means not measured."""
        return {
            "benchmark": self.kind.name,
            "settings": dict(self.settings),
            "computer": {
                "cpu": self.machine.cpu,
                "cpus": self.machine.cpus,
                "torch": self.machine.torch and self.machine.torch.version,
            },
            "rows": [self._row(row) for row in self.rows],
            "findings": [
                {"severity": finding.severity, "problem": finding.problem, "remedy": finding.remedy}
                for finding in self.findings
            ],
            "exit_code": self.exit_code,
        }

    def _row(self, row: BenchRow) -> dict[str, Any]:
        return {
            "device": row.device,
            "name": row.name,
            "precision": row.format or None,
            **{column.key: None for column in self.kind.columns},
            **row.parameters,
            **row.figures,
            "times_cpu": self.times_cpu(row),
            "problem": row.problem or None,
        }


def make_report(
    kind: Benchmark,
    *,
    about: str,
    settings: Mapping[str, Any],
    machine: Machine,
    rows: Sequence[BenchRow],
    findings: Sequence[Finding] = (),
) -> BenchReport:
    """Make the report, with a finding for every GPU that is slower than the CPU."""
    return BenchReport(
        kind=kind,
        about=about,
        settings=settings,
        machine=machine,
        rows=tuple(rows),
        findings=(*findings, *_slower(kind, rows)),
    )


def _slower(kind: Benchmark, rows: Sequence[BenchRow]) -> list[Finding]:
    best: dict[str, float] = {}
    for row in rows:
        ratio = times_cpu(row, rows, kind.speed)
        if ratio is not None and row.device != CPU:
            best[row.device] = max(ratio, best.get(row.device, 0.0))
    return [
        Finding(
            problem=f"{device} is {_below_one(ratio)} × as fast as the CPU",
            remedy="set `device=cpu`",
            severity="warning",
        )
        for device, ratio in best.items()
        if ratio < 1
    ]


def _below_one(ratio: float) -> str:
    """The ratio with two digits, never rounded up to 1."""
    text = f"{ratio:.2g}"
    return "0.99" if text == "1" else text
