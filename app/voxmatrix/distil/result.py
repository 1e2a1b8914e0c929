"""What a distillation gives: the fast voice, and how it compares with its original."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.distil.acceptance import Gate, Pair, failed
from voxmatrix.errors import BadInputError


@dataclass(frozen=True, kw_only=True)
class Distilled:
    """The fast voice, and how it compares with its original."""

    out: Path
    gates: Sequence[Gate]
    times_as_fast: float | None  # None: the original is computed by another program
    steps: int
    pairs: Sequence[Pair]
    rate_hz: int

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
        found = "; ".join(f"{gate.name} {gate.value:.6g}, wanted {gate.wanted}" for gate in failed(distilled.gates))
        super().__init__(
            f"after {distilled.steps} steps the fast voice still does not sound like its original ({found}); "
            "it was not written",
            "run the same command again to learn further, or add `force` to write it as it is",
        )
        self.distilled = distilled
