"""Memory that this process may use: the computer's, or its cgroup's where that is less."""

from pathlib import Path
from typing import NamedTuple

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.ask_psutil import ask_psutil
from voxmatrix.machine.probes import cgroup

_MIB = 1024 * 1024


class SystemMemory(NamedTuple):
    """In bytes; None is unknown."""

    total: int | None = None
    available: int | None = None

    @property
    def total_mib(self) -> int | None:
        """`total` in MiB."""
        return None if self.total is None else self.total // _MIB

    @property
    def available_mib(self) -> int | None:
        """`available` in MiB."""
        return None if self.available is None else self.available // _MIB


def read_memory(root: Path = Path("/")) -> SystemMemory:
    """What the computer has and every cgroup on the way to this process allows."""
    whole = ask_psutil(lambda psutil: psutil.virtual_memory()) or SystemMemory()
    limits = [limit for place in cgroup.folders(root, "memory") if (limit := _limit(place)) is not None]
    return SystemMemory(
        total=_least(whole.total, *(limit.total for limit in limits)),
        available=_least(whole.available, *(limit.available for limit in limits)),
    )


def _limit(place: Path) -> SystemMemory | None:
    for most, now, cache in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        limit, used = _number(place / most), _number(place / now)
        if limit is not None:
            reclaimable = _row(place / "memory.stat", cache)
            return SystemMemory(limit, None if used is None else max(0, min(limit, limit - used + reclaimable)))
    return None


def _row(path: Path, name: str) -> int:
    for line in read_text_or_empty(path).splitlines():
        match line.split():
            case [key, value] if key == name and value.isdecimal():
                return int(value)
    return 0


def _number(path: Path) -> int | None:
    text = read_text_or_empty(path).strip()  # "max" is no limit
    return int(text) if text.isdecimal() else None


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value is not None), default=None)
