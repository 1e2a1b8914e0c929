"""Timing on asynchronous devices: warm-up, synchronisation, median; and whether the computer was busy."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from voxmatrix.compute.device import backend
from voxmatrix.errors import Finding

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def seconds_of_runs(work: "Callable[[], Tensor]", device: "torch.device", runs: int, warmup: int) -> list[float]:
    """Seconds of each run of `work` until its result is computed; the first `warmup` runs are not counted."""
    seconds = []
    for run in range(warmup + runs):
        start = time.perf_counter()
        wait_for(work(), device)
        if run >= warmup:
            seconds.append(time.perf_counter() - start)
    return seconds


def wait_for(result: "Tensor", device: "torch.device") -> None:
    """Wait until `result` is computed."""
    module = backend(device)
    if module is not None:
        module.synchronize(device)
    elif device.type != "cpu":  # DirectML cannot synchronise: reading one element waits for its computation
        result.detach().reshape(-1)[:1].cpu()


def median_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """The median and the interquartile range (0 for one value), which are robust against a single outlier."""
    if len(values) < 2:
        return statistics.median(values), 0.0
    lower, middle, upper = statistics.quantiles(values, n=4, method="inclusive")
    return middle, upper - lower


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
