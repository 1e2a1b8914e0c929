"""Timing on a device that works behind the caller's back: warm up, wait for it, take the median."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import Tensor


def seconds_of_runs(work: "Callable[[], Tensor]", device: "torch.device", runs: int, warmup: int) -> list[float]:
    """Seconds of each run of `work` until its result is there; the first `warmup` runs are not counted."""
    taken = []
    for run in range(warmup + runs):
        began = time.perf_counter()
        wait_for(work(), device)
        if run >= warmup:
            taken.append(time.perf_counter() - began)
    return taken


def wait_for(result: "Tensor", device: "torch.device") -> None:
    """Return when `result` is computed."""
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)
    elif device.type != "cpu":  # DirectML has no such call: reading one of its numbers waits for all that lead to it
        result.detach().reshape(-1)[:1].cpu()


def median_and_spread(values: Sequence[float]) -> tuple[float, float]:
    """The median, and how far apart the quarters around it lie (0 for one value): a single hiccup changes neither."""
    if len(values) < 2:
        return statistics.median(values), 0.0
    lower, middle, upper = statistics.quantiles(values, n=4, method="inclusive")
    return middle, upper - lower
