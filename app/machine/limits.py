"""What this process may use: CPUs that the cgroup allows and shared memory that is free. Probes only, no decisions."""

import os
from dataclasses import dataclass
from pathlib import Path

from app.machine.text import read_text


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
    quota = _quota_v2(root)
    quota = _quota_v1(root) if quota is None else quota
    count = _affinity()
    return count if quota is None else max(1, min(count, int(quota + 0.5)))


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


def _quota_v2(root: Path) -> float | None:
    """The tightest quota from this process's group up to the root: every one of them holds."""
    group = _group_v2(root)
    mount = root / "sys" / "fs" / "cgroup"
    places = [mount / Path(*group.parts[:depth]) for depth in range(len(group.parts) + 1)]
    quotas = [quota for place in places if (quota := parse_cpu_max(read_text(place / "cpu.max"))) is not None]
    return min(quotas, default=None)


def _group_v2(root: Path) -> Path:
    for line in read_text(root / "proc" / "self" / "cgroup").splitlines():
        if line.startswith("0::/"):
            return Path(line.removeprefix("0::/"))
    return Path()


def _quota_v1(root: Path) -> float | None:
    place = root / "sys" / "fs" / "cgroup" / "cpu"
    return parse_cpu_max(
        f"{read_text(place / 'cpu.cfs_quota_us').strip()} {read_text(place / 'cpu.cfs_period_us').strip()}"
    )
