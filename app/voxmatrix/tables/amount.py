"""What to expect of a voice by the amount of speech, read from amounts.toml."""

from dataclasses import dataclass
from functools import cache

from voxmatrix.tables import rows
from voxmatrix.wording import count

#: Less speech than this, in seconds, makes no voice at all.
MIN_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Amount:
    """One row of amounts.toml: `expect` of a voice from this many minutes on."""

    name: str
    minutes: int
    expect: str
    source: str

    @property
    def duration(self) -> str:
        """1 minute, 5 hours …"""
        return count(self.minutes, "minute") if self.minutes < 120 else count(self.minutes // 60, "hour")


@cache
def amounts() -> tuple[Amount, ...]:
    """All rows, from the least to the most speech."""
    return tuple(Amount(name=name, **row) for name, row in rows.read("amounts.toml").items())


def amount_of(seconds: float) -> tuple[Amount, Amount | None]:
    """The row that applies to this much speech, and the next one; None if there is no better one."""
    reached = sum(round(seconds) >= row.minutes * 60 for row in amounts())
    return amounts()[reached - 1], amounts()[reached] if reached < len(amounts()) else None
