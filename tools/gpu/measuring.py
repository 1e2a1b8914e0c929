"""Time work on a GPU, and look at what it does meanwhile."""

import statistics
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

import torch

_MIB = 1 << 20
_SHORT_US = 5.0
_LARGEST = 25


def wait() -> None:
    """Wait for the GPU, if there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def seconds_of(work: Callable[[], object], *, warm: int, count: int) -> float:
    """The mean time of `work`, after some that warm up."""
    for _ in range(warm):
        work()
    wait()
    began = time.perf_counter()
    for _ in range(count):
        work()
    wait()
    return (time.perf_counter() - began) / count


class Utilisation:
    """What NVML says of the first GPU, every 50 ms, while the block runs. Any kernel counts as utilisation."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, float]] = []
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(1)

    def figures(self) -> dict[str, Any]:
        """Means, and the peak of the memory; empty without an NVIDIA GPU."""
        if not self._rows:
            return {}
        gpu, memory, used, watts = zip(*self._rows, strict=True)
        return {
            "nvml_gpu_percent": round(statistics.mean(gpu), 1),
            "nvml_memory_percent": round(statistics.mean(memory), 1),
            "nvml_used_mib_peak": max(used),
            "watts": round(statistics.mean(watts)),
        }

    def _read(self) -> None:
        with suppress(Exception):  # no NVML: no figures
            import pynvml  # type: ignore[import-untyped]

            pynvml.nvmlInit()
            gpu = pynvml.nvmlDeviceGetHandleByIndex(0)
            while not self._stop.wait(0.05):
                rates, memory = pynvml.nvmlDeviceGetUtilizationRates(gpu), pynvml.nvmlDeviceGetMemoryInfo(gpu)
                watts = pynvml.nvmlDeviceGetPowerUsage(gpu) / 1000
                self._rows.append((rates.gpu, rates.memory, memory.used // _MIB, watts))


def kernel_figures(trace: dict[str, Any]) -> dict[str, Any]:
    """From a trace of torch's profiler: the share of the time with a kernel, launches, and the largest kernels.

    The profiler slows the host down, so that the share is a lower bound.
    """
    kernels = [event for event in trace["traceEvents"] if event.get("ph") == "X" and event.get("cat") == "kernel"]
    spans = sorted(
        (event["ts"], event["ts"] + event["dur"])
        for event in trace["traceEvents"]
        if event.get("ph") == "X" and event.get("cat") in {"kernel", "gpu_memcpy", "gpu_memset"}
    )
    if not spans:
        return {}
    busy, end = 0.0, spans[0][0]
    for start, stop in spans:
        if stop > end:
            busy, end = busy + stop - max(start, end), stop
    by_name: Counter[str] = Counter()
    for event in kernels:
        by_name[event["name"]] += event["dur"]
    number = Counter(event["name"] for event in kernels)
    largest = by_name.most_common(_LARGEST)
    return {
        "gpu_busy_share": round(busy / (end - spans[0][0]), 3),
        "kernel_launches": len(kernels),
        "kernels_below_5_us": sum(event["dur"] < _SHORT_US for event in kernels),
        "kernel_ms": round(sum(by_name.values()) / 1000, 2),
        "largest": [{"name": name[:110], "ms": round(us / 1000, 3), "count": number[name]} for name, us in largest],
    }
