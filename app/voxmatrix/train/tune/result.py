"""The result of `--tune`, and its presentation."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxmatrix.machine.profile import BatchFigures, Measurement
from voxmatrix.plan.batch import EFFECTIVE_BATCH
from voxmatrix.plan.budget import Budget
from voxmatrix.train.tune.batch_search import TriedBatch


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """The result of one search. `ended`: why it stopped; `problem`: why it failed; one of them is empty."""

    measurement: Measurement
    ended: str = ""
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class TuneResult:
    """All results of `--tune`, and where they are saved."""

    device: str
    name: str | None
    devices: int  # number of devices in the training, each with the same batch
    clips: int  # in the training set; limits the batch
    budget: Budget
    outcomes: tuple[SearchOutcome, ...] = ()
    problem: str = ""  # why something was not measured or not saved
    kept: Path | None = None

    @property
    def best(self) -> SearchOutcome | None:
        """The last search with a batch that fits: gradient checkpointing is only tried if too few clips fit without."""
        return next((outcome for outcome in reversed(self.outcomes) if outcome.measurement.largest_batch), None)

    @property
    def recommended_batch(self) -> int:
        """The fastest batch, as larger ones only learn less from each clip; 0: unknown."""
        if self.best is None:
            return 0
        return min(_fastest(self.best.measurement).batch_size * self.devices, self.clips)

    @property
    def line(self) -> str:
        """The flags for the recommended batch; empty if the plan already uses it."""
        batch = self.recommended_batch
        return f"`batch_size={batch}` `accumulation=1`" if batch > EFFECTIVE_BATCH else ""

    def to_json(self) -> dict[str, Any]:
        """The output of `train --tune --json`."""
        return {
            "device": self.device,
            "name": self.name,
            "limit_mib": self.budget.mib,
            "measurements": [asdict(outcome.measurement) for outcome in self.outcomes],
            "line": self.line or None,
            "kept": str(self.kept) if self.kept else None,
            "problem": self.problem or None,
        }

    def paragraph(self) -> str:
        """The result in words and what to do with it, without problems."""
        best = self.best
        if best is None and self.problem:
            return f"{self._title} could not be measured; the plan uses estimates."
        if best is None:
            return f"{self._title} cannot fit even one clip of this length within {self.budget.mib:.0f} MiB."
        measurement, fastest = best.measurement, _fastest(best.measurement)
        peak = next(size.peak_mib for size in measurement.sizes if size.batch_size == measurement.largest_batch)
        savings = " with gradient checkpointing" if measurement.gradient_checkpointing else ""
        parts = [
            f"{self._title} fits {measurement.largest_batch} clips of {measurement.seconds:.3g} s{savings} in "
            f"{measurement.quality}, {measurement.precision}: {peak:.0f} of {self.budget.mib:.0f} MiB "
            f"({self.budget.why}).",
            f"{best.ended[0].upper()}{best.ended[1:]}." if best.ended else "",
            f"Batch {fastest.batch_size} is the fastest, {fastest.clips_per_second:.3g} clips/s.",
            f"Saved in {self.kept}; the plan uses it." if self.kept else "",
        ]
        return " ".join(filter(None, parts)) + self._advice()

    def _advice(self) -> str:
        if not self.line:
            return ""
        return (
            f"\n  → to use the fastest batch, add {self.line}; each step then trains on {self.recommended_batch} clips "
            f"instead of {EFFECTIVE_BATCH}, the default on every computer, which changes the result of the training"
        )

    @property
    def _title(self) -> str:
        return f"{self.device} ({self.name})" if self.name else self.device


def _fastest(measurement: Measurement) -> BatchFigures:
    fitting = [size for size in measurement.sizes if size.batch_size <= measurement.largest_batch]
    return max(fitting, key=lambda size: size.clips_per_second)


def progress_line(size: TriedBatch, limit_mib: float) -> str:
    """The measurement of one size in words."""
    share = size.peak_mib / limit_mib
    return (
        f"batch {size.batch_size}: {size.peak_mib:.0f} MiB, {share:.0%} of the limit, "
        f"{size.step_seconds:.3g} s per step, {size.clips_per_second:.3g} clips/s"
    )
