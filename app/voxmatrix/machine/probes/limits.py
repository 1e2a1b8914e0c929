"""Limits of this process: CPUs (affinity and cgroup quota) and free shared memory."""

import os
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.probes import cgroup


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
    quotas = [quota for folder in cgroup.folders(root, "cpu") if (quota := _quota(folder)) is not None]
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
