"""What `--tune` found out about a device, and how it is said."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxmatrix.machine.profiles.profile import BatchFigures, Measurement
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.batch import EFFECTIVE_BATCH
from voxmatrix.plan.budget import Budget
from voxmatrix.train.tune.batch_search import TriedBatch


@dataclass(frozen=True, kw_only=True)
class SearchOutcome:
    """What one child found out: `ended` says why it measured no further, `problem` why it could not; one is ""."""

    measurement: Measurement
    ended: str = ""
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class TuneResult:
    """All that was found out, and where it is kept."""

    device: str
    name: str | None
    devices: int  # that train together: each holds as many
    clips: int  # there are to learn from: no batch has more
    budget: Budget
    outcomes: tuple[SearchOutcome, ...] = ()
    problem: str = ""  # why something was not measured or not kept
    kept: Path | None = None

    @property
    def best(self) -> SearchOutcome | None:
        """The one that counts: measured last, for gradients are checkpointed only where too few clips fit otherwise."""
        return next((each for each in reversed(self.outcomes) if each.measurement.largest_batch), None)

    @property
    def most_useful(self) -> int:
        """Clips with which a GPU is full, or a CPU fastest: what it does not need of its memory others may have."""
        if self.best is None:
            return 0
        found = self.best.measurement
        each = _fastest(found).batch_size if self.device == CPU else found.largest_batch
        return min(each * self.devices, self.clips)

    @property
    def line(self) -> str:
        """What to type to use all of the device; "" where the plan does so by itself."""
        whole = self.most_useful
        return f"--batch-size {whole} --accumulation 1" if whole > EFFECTIVE_BATCH else ""

    def to_json(self) -> dict[str, Any]:
        """As `train --tune --json` shows it."""
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
        """What was found, and what to type. Says nothing about what went wrong."""
        best = self.best
        if best is None and self.problem:
            return f"{self._called} could not be measured; the plan goes by estimates."
        if best is None:
            return f"{self._called} holds not even one clip of this length within {self.budget.mib:.0f} MiB."
        found, fastest = best.measurement, _fastest(best.measurement)
        peak = next(size.peak_mib for size in found.sizes if size.batch_size == found.largest_batch)
        savings = " with gradient checkpointing" if found.gradient_checkpointing else ""
        parts = [
            f"{self._called} holds {found.largest_batch} clips of {found.seconds:.3g} s{savings} in "
            f"{found.quality}, {found.precision}: {peak:.0f} of {self.budget.mib:.0f} MiB ({self.budget.why}).",
            f"{best.ended[0].upper()}{best.ended[1:]}." if best.ended else "",
            f"Batch {fastest.batch_size} is the fastest, {fastest.clips_per_second:.3g} clips/s.",
            f"Kept in {self.kept}; the plan follows it." if self.kept else "",
        ]
        return " ".join(filter(None, parts)) + self._advice()

    def _advice(self) -> str:
        if not self.line:
            return ""
        what = "take the fastest batch" if self.device == CPU else "use the whole device"
        return (
            f"\n  → to {what}, add {self.line}; every step then learns from {self.most_useful} clips, not from "
            f"{EFFECTIVE_BATCH} as on every computer, and the voice learns otherwise"
        )

    @property
    def _called(self) -> str:
        return f"{self.device} ({self.name})" if self.name else self.device


def _fastest(measurement: Measurement) -> BatchFigures:
    fit = [size for size in measurement.sizes if size.batch_size <= measurement.largest_batch]
    return max(fit, key=lambda size: size.clips_per_second)


def progress_line(size: TriedBatch, limit_mib: float) -> str:
    """One size that was measured."""
    share = size.peak_mib / limit_mib
    return (
        f"batch {size.batch_size}: {size.peak_mib:.0f} MiB, {share:.0%} of what may be taken, "
        f"{size.step_seconds:.3g} s a step, {size.clips_per_second:.3g} clips/s"
    )
