"""Finished audio of a unit, as the ledger records it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from voxmatrix.errors import Finding


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Finished audio of a unit."""

    key: str
    sha256: str  # of the file
    samples: int
    rate_hz: int
    worker: str
    wall_seconds: float  # that the worker took
    findings: tuple[Finding, ...] = ()  # what was left out
    computed: str = ""  # how, where that changes what is heard

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.samples / self.rate_hz

    def to_row(self, at: float) -> tuple[str, str, int, int, str, float, str, float, str]:
        """The row of the table `deliveries`; `at` is the time of the record, in seconds since 1970."""
        findings = json.dumps([[finding.problem, finding.remedy, finding.severity] for finding in self.findings])
        return (
            self.key,
            self.sha256,
            self.samples,
            self.rate_hz,
            self.worker,
            self.wall_seconds,
            findings,
            at,
            self.computed,
        )

    @classmethod
    def from_row(cls, row: Sequence[object]) -> "Delivery":
        """The delivery of a row without the time of its record."""
        key, sha256, samples, rate_hz, worker, wall_seconds, findings, computed = row
        assert isinstance(samples, int) and isinstance(rate_hz, int) and isinstance(wall_seconds, float)
        return cls(
            key=str(key),
            sha256=str(sha256),
            samples=samples,
            rate_hz=rate_hz,
            worker=str(worker),
            wall_seconds=wall_seconds,
            findings=_findings(str(findings)),
            computed=str(computed),
        )


def _findings(text: str) -> tuple[Finding, ...]:
    try:
        return tuple(Finding(problem=problem, remedy=remedy, severity=how) for problem, remedy, how in json.loads(text))
    except ValueError:
        return ()  # a damaged note
