"""Whether the computer had other things to do when a benchmark began."""

import os

from voxmatrix.errors import Finding

#: Of the CPUs: with this share at work for others, threads that wait for each other lose more than that share.
_BUSY = 0.75


def load() -> float | None:
    """Processes that wanted a CPU in the last minute, on average; None where the system does not count them."""
    try:
        return os.getloadavg()[0]
    except (AttributeError, OSError):
        return None


def all_cpus() -> int:
    """CPUs of the whole computer, which the load is about: this process may be allowed fewer."""
    return os.cpu_count() or 1


def busy(load: float | None, cpus: int) -> tuple[Finding, ...]:
    """A warning where the figures of the CPU cannot be trusted. Pure."""
    if load is None or load < _BUSY * cpus:
        return ()
    problem = f"this computer was busy when it began (load {load:.1f}, CPUs {cpus}), so the figures may be too low"
    return (Finding(problem=problem, remedy="measure again when it rests", severity="warning"),)
