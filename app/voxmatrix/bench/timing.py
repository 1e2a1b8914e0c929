"""Timing on asynchronous devices: warm-up, synchronisation, median."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from voxmatrix.compute.device import backend

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
