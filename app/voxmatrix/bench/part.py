"""What a benchmark's child measures: one thing after the other, each with a name by which it can be blamed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

#: None where this device does not say.
Figures = Mapping[str, float | None]


@dataclass(frozen=True, kw_only=True)
class BenchPart:
    """One thing that is measured on one device, in one number format."""

    name: str  # the format: fp32, tf32, bf16, fp16
    measure: Callable[[], Figures]
