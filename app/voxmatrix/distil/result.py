"""What a distillation gives: the fast voice, and how it compares with its original."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.distil.acceptance import Gate, Pair, failed
from voxmatrix.errors import BadInputError, Finding


@dataclass(frozen=True, kw_only=True)
class Distilled:
    """The fast voice, and how it compares with its original."""

    out: Path
    gates: Sequence[Gate]
    times_as_fast: float | None  # None: the original is computed by another program
    steps: int
    pairs: Sequence[Pair]
    rate_hz: int
    of_person: bool = False  # it was learned from somebody's recordings
    kept: Path | None = None  # where what was learned is kept, for it may still get better
    best_step: int = 0  # after which it got no better, if that ended the learning

    @property
    def lacking(self) -> str:
        """What does not hold; "": all does."""
        return "; ".join(f"{gate.name} {gate.value:.6g}, wanted {gate.wanted}" for gate in failed(self.gates))

    def warning(self) -> Finding | None:
        """What is to be known of a voice that was written although a condition does not hold."""
        if not self.lacking:
            return None
        flat = f", and it got no better since step {self.best_step:,}" if self.best_step else ""
        like = "its recordings" if self.of_person else "its original"
        return Finding(
            problem=f"{self.out} is written, but after {self.steps:,} steps it does not sound like {like} yet: "
            f"{self.lacking}{flat}",
            remedy=f"listen to it; run the same command again to learn further (what was learned is in {self.kept})",
            severity="warning",
        )

    def to_json(self) -> dict[str, Any]:
        """The object that --json prints."""
        return {
            "out": str(self.out),
            "gates": [gate.to_json() for gate in self.gates],
            "times_as_fast": self.times_as_fast and round(self.times_as_fast, 2),
            "steps": self.steps,
        }


class GatesError(BadInputError):
    """The fast voice does not sound like its original. It was not written."""

    def __init__(self, distilled: Distilled) -> None:
        super().__init__(
            f"after {distilled.steps} steps the fast voice still does not sound like its original "
            f"({distilled.lacking}); "
            "it was not written",
            "run the same command again to learn further, or add `force` to write it as it is",
        )
        self.distilled = distilled
