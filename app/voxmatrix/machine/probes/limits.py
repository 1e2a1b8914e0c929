"""Limits of this process: CPUs (affinity and cgroup quota), memory (the computer's or the cgroup's), shared memory."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.probes.probe import ask_psutil

_MOUNT = Path("sys") / "fs" / "cgroup"


def cgroup_folders(root: Path, controller: str) -> list[Path]:
    """Folders of cgroup v2, and of v1 for this controller, from the mount down to this process; all limits apply."""
    found: list[Path] = []
    for line in read_text_or_empty(root / "proc" / "self" / "cgroup").splitlines() or ["0::/", f":{controller}:/"]:
        _, controllers, group = (*line.split(":", 2), "", "")[:3]
        if controllers and controller not in controllers.split(","):
            continue
        mount = root / _MOUNT / (controller if controllers else "")
        parts = Path(group.lstrip("/")).parts
        # ".." means that the group is outside this process's cgroup namespace: only the mount can be read.
        deepest = 0 if ".." in parts else len(parts)
        found += [mount.joinpath(*parts[:depth]) for depth in range(deepest + 1)]
    return found


@dataclass(frozen=True, kw_only=True)
class Limits:
    """CPUs available to this process, and free bytes in /dev/shm (None: it does not exist)."""

    cpus: int
    shm_free_bytes: int | None


def read_limits(root: Path = Path("/")) -> Limits:
    """The limits of this process; `root` is the folder that contains /sys, /proc and /dev."""
    return Limits(cpus=cpus(root), shm_free_bytes=shm_free_bytes(root))


def cpus(root: Path = Path("/")) -> int:
    """CPUs in the affinity mask of this process or in its cgroup quota, whichever is fewer; at least 1."""
    quotas = [quota for folder in cgroup_folders(root, "cpu") if (quota := _quota(folder)) is not None]
    return max(1, min([_affinity(), *(int(quota + 0.5) for quota in quotas)]))


def shm_free_bytes(root: Path = Path("/")) -> int | None:
    """Free bytes in /dev/shm, through which DataLoader workers pass their batches."""
    shm = root / "dev" / "shm"
    if not hasattr(os, "statvfs") or not shm.is_dir():
        return None
    status = os.statvfs(shm)
    return status.f_bavail * status.f_frsize


def parse_cpu_max(text: str) -> float | None:
    """CPUs from cgroup v2's `cpu.max`, e.g. "150000 100000" is 1.5; None if there is no limit."""
    match text.split():
        case [quota, period] if quota.isdecimal() and period.isdecimal() and int(period) > 0:
            return int(quota) / int(period)
        case _:
            return None


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota(folder: Path) -> float | None:
    """The CPU quota of one group, from the files of cgroup v2 or v1."""
    v1 = " ".join(read_text_or_empty(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    return parse_cpu_max(read_text_or_empty(folder / "cpu.max") or v1)


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
    limits = [limit for folder in cgroup_folders(root, "memory") if (limit := _limit(folder)) is not None]
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
