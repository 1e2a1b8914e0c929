"""The result of a benchmark, with its exit code. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxmatrix.bench.benchmarks import Benchmark
from voxmatrix.bench.row import BenchRow, times_cpu
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.saved_device import CPU


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
            remedy="set --device cpu",
            severity="warning",
        )
        for device, ratio in best.items()
        if ratio < 1
    ]


def _below_one(ratio: float) -> str:
    """The ratio with two digits, never rounded up to 1."""
    text = f"{ratio:.2g}"
    return "0.99" if text == "1" else text
