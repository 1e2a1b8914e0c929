"""Whether the computer was busy when a benchmark started."""

import os

from voxmatrix.errors import Finding

#: Load per CPU: when this share is in use, threads that wait for each other lose more than that share.
_BUSY = 0.75


def load() -> float | None:
    """The load average of the last minute; None if the system does not provide it."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def all_cpus() -> int:
    """CPUs of the whole computer, to which the load refers; fewer may be available to this process."""
    return os.cpu_count() or 1


def busy(load: float | None, cpus: int) -> tuple[Finding, ...]:
    """A warning if the figures of the CPU are unreliable. Pure."""
    if load is None or load < _BUSY * cpus:
        return ()
    problem = f"this computer was busy at the start (load {load:.1f}, CPUs {cpus}), so the figures may be too low"
    return (Finding(problem=problem, remedy="measure again when it is idle", severity="warning"),)
