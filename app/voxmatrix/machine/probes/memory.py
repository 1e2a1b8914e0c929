"""Memory available to this process: the computer's, or the cgroup's limit if that is less."""

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
    """The least of the computer's memory and the limits of all cgroups that contain this process."""
    computer = ask_psutil(lambda psutil: psutil.virtual_memory()) or SystemMemory()
    limits = [limit for folder in cgroup.folders(root, "memory") if (limit := _limit(folder)) is not None]
    return SystemMemory(
        total=_least(computer.total, *(limit.total for limit in limits)),
        available=_least(computer.available, *(limit.available for limit in limits)),
    )


def _limit(folder: Path) -> SystemMemory | None:
    for maximum, current, cache in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        limit, used = _number(folder / maximum), _number(folder / current)
        if limit is not None:
            reclaimable = _row(folder / "memory.stat", cache)
            return SystemMemory(limit, None if used is None else max(0, min(limit, limit - used + reclaimable)))
    return None


def _row(path: Path, name: str) -> int:
    for line in read_text_or_empty(path).splitlines():
        match line.split():
            case [key, value] if key == name and value.isdecimal():
                return int(value)
    return 0


def _number(path: Path) -> int | None:
    text = read_text_or_empty(path).strip()  # "max" means no limit
    return int(text) if text.isdecimal() else None


def _least(*values: int | None) -> int | None:
    return min((value for value in values if value is not None), default=None)
