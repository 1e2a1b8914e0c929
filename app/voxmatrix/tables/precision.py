"""The precision for each device, read from precision.toml."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from voxmatrix.tables import rows

Precision = Literal["fp32", "bf16", "fp16"]


@dataclass(frozen=True, kw_only=True)
class PrecisionRow:
    """One row of precision.toml."""

    device: str
    at_least: tuple[int, int] | None = None  # compute capability, for cuda
    name: str | None = None  # regular expression
    precision: Precision
    tf32: bool
    because: str
    source: str

    def fits(self, device: str, capability: tuple[int, int] | None, name: str) -> bool:
        """Whether this row applies to the device."""
        if self.device != device:
            return False
        if self.at_least is not None and (capability is None or capability < self.at_least):
            return False
        return self.name is None or re.search(self.name, name) is not None


@cache
def precision_rows() -> tuple[PrecisionRow, ...]:
    """All rows, in order of precedence."""
    table = rows.read("precision.toml")
    return tuple(_row(**row) for row in table["row"])


def precision_row(device: str, capability: tuple[int, int] | None, name: str | None) -> PrecisionRow | None:
    """The first row that applies; None for a GPU of kind cuda with unknown capability."""
    table = precision_rows()
    kind = device if any(row.device == device for row in table) else "other"
    return next((row for row in table if row.fits(kind, capability, name or "")), None)


def _row(at_least: str | None = None, **row: Any) -> PrecisionRow:
    if at_least is None:
        return PrecisionRow(**row)
    return PrecisionRow(at_least=rows.capability(at_least), **row)
