"""What shops take, read from shops.toml."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from voxmatrix.errors import UsageError
from voxmatrix.tables import rows
from voxmatrix.wording import quoted

#: The least and the most.
Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Shop:
    """One row of shops.toml. Levels are in decibels of full scale."""

    name: str
    title: str  # as it calls itself
    format: str  # the extension of its files
    least_kbit: int  # per second, at a constant rate
    rate_hz: int
    rms_db: Range  # of a whole file
    peak_db: float  # at most
    floor_db: float  # at most, where nobody speaks
    head_seconds: Range  # before the first word
    tail_seconds: Range  # behind the last word
    most_seconds: float  # of a file
    sample_seconds: Range  # of the retail sample
    aim_rms_db: float
    aim_peak_db: float  # true peak, before encoding moves it
    aim_head_seconds: float
    aim_tail_seconds: float
    source: str


@cache
def shops() -> dict[str, Shop]:
    """All rows by name."""
    return {name: _shop(name, row) for name, row in rows.read("shops.toml").items()}


def shop_named(name: str) -> Shop:
    """The row of a shop.

    Raises:
        UsageError: there is none.
    """
    found = shops().get(name.lower())
    if found is None:
        raise UsageError(f"the target {quoted(name)} is unknown", f"choose one of: {', '.join(shops())}")
    return found


def _shop(name: str, row: dict[str, Any]) -> Shop:
    frozen: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Shop(name=name, **frozen)
