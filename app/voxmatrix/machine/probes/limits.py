"""What this process may use: CPUs that the cgroup allows and shared memory that is free. Probes only, no decisions."""

import os
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.probes import cgroup


@dataclass(frozen=True, kw_only=True)
class Limits:
    """CPUs this process may keep busy, and free bytes of /dev/shm (None: there is no such place here)."""

    cpus: int
    shm_free_bytes: int | None


def read_limits(root: Path = Path("/")) -> Limits:
    """The limits of this process; `root` is where /sys, /proc and /dev stand."""
    return Limits(cpus=cpus(root), shm_free_bytes=shm_free_bytes(root))


def cpus(root: Path = Path("/")) -> int:
    """The smaller of the CPUs this process may run on and the quota of its cgroup, at least 1."""
    quotas = [quota for place in cgroup.folders(root, "cpu") if (quota := _quota(place)) is not None]
    return max(1, min([_affinity(), *(int(quota + 0.5) for quota in quotas)]))


def shm_free_bytes(root: Path = Path("/")) -> int | None:
    """Free bytes of /dev/shm, through which DataLoader workers hand over their batches."""
    place = root / "dev" / "shm"
    if not hasattr(os, "statvfs") or not place.is_dir():
        return None
    status = os.statvfs(place)
    return status.f_bavail * status.f_frsize


def parse_cpu_max(text: str) -> float | None:
    """CPUs from cgroup v2's `cpu.max`, e.g. "150000 100000" is 1.5; None when it sets no limit."""
    match text.split():
        case [quota, period] if quota.isdecimal() and period.isdecimal() and int(period) > 0:
            return int(quota) / int(period)
        case _:
            return None


def _affinity() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _quota(place: Path) -> float | None:
    """CPUs that one group may keep busy: cgroup v2's words, else v1's."""
    old = " ".join(read_text_or_empty(place / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    return parse_cpu_max(read_text_or_empty(place / "cpu.max") or old)
