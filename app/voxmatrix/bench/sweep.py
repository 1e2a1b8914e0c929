"""Which batch size a device is fastest with: doubled until memory is out or it is hardly faster any more."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voxmatrix.bench.row import BenchRow
from voxmatrix.plan.batch import EFFECTIVE_BATCH

SIZES = (1, 2, 4, 8, 16, 32)
#: A larger batch takes memory: below this it is not worth it.
LEAST_GAIN = 1.05
_SPEED = "clips_per_second"


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    """Settings for a training on one device."""

    device: str
    batch_size: int
    accumulation: int
    reason: str

    @property
    def line(self) -> str:
        """What to type."""
        return f"--device {self.device} --batch-size {self.batch_size} --accumulation {self.accumulation}"

    def to_json(self) -> dict[str, Any]:
        """As `bench train --sweep --json` shows it."""
        return {**asdict(self), "line": self.line}


def sweep(
    measure: Callable[[int], BenchRow], too_large: Callable[[int], str], sizes: Sequence[int] = SIZES
) -> tuple[list[BenchRow], Suggestion | None]:
    """Measure size after size. `too_large` says why a size must not even be tried; "" where it may."""
    rows: list[BenchRow] = []
    best: BenchRow | None = None
    reason = f"{sizes[-1]} is the largest that was tried"
    for size in sizes:
        said = too_large(size)
        if said and best is not None:  # the smallest is tried in any case: a table may be wrong
            reason = said
            break
        row = measure(size)
        rows.append(row)
        if not row.measured:
            reason = f"batch {size} does not fit" if row.out_of_memory else f"batch {size} failed: {row.problem}"
            break
        if best is not None and _speed(row) < LEAST_GAIN * _speed(best):
            reason = f"batch {size} is {_speed(row) / _speed(best):.2f} × as fast, and takes more memory"
            break
        best = row
    if best is None:
        return rows, None
    size = best.given["batch_size"]
    accumulation = max(1, round(EFFECTIVE_BATCH / size))
    return rows, Suggestion(device=best.device, batch_size=size, accumulation=accumulation, reason=reason)


def _speed(row: BenchRow) -> float:
    return row.speed(_SPEED) or 0.0
