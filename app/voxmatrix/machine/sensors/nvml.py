"""State of an NVIDIA GPU or MIG slice, from NVML."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from voxmatrix.machine.probes.nvml import memory_mib, read_or_none
from voxmatrix.machine.sensors.cpu import with_computers_memory
from voxmatrix.machine.sensors.reading import Reading, Sensor


@contextmanager
def nvml_sensor(
    nvml: Any, device: str, uuid: str, root: Path = Path("/"), clock: Callable[[], float] = time.monotonic
) -> Iterator[Sensor]:
    """Yield a sensor for the GPU or slice with this uuid; `nvml` is the module pynvml, or a test's replacement for it.

    Raises:
        nvml.NVMLError: there is no driver, or no such GPU.
    """
    nvml.nvmlInit()
    try:
        handle = _find(nvml, uuid)
        mig = read_or_none(nvml, lambda: bool(nvml.nvmlDeviceIsMigDeviceHandle(handle))) or False
        # Temperature comes from the whole card: a slice has no sensor.
        card = read_or_none(nvml, lambda: nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)) if mig else handle
        read = partial(_read, nvml, device, handle, card, clock)
        yield (lambda: with_computers_memory(read(), root)) if not mig and _shares_memory(nvml, handle) else read
    finally:
        nvml.nvmlShutdown()


def _find(nvml: Any, uuid: str) -> Any:
    """Look up the uuid both as a card and as a slice: torch reports it without a prefix."""
    bare = uuid.removeprefix("GPU-").removeprefix("MIG-")
    card = read_or_none(nvml, lambda: nvml.nvmlDeviceGetHandleByUUID(f"GPU-{bare}"))
    return card if card is not None else nvml.nvmlDeviceGetHandleByUUID(f"MIG-{bare}")


def _shares_memory(nvml: Any, handle: Any) -> bool:
    """Whether the GPU responds but reports no memory of its own, as GB10 and Jetson do."""
    responds = read_or_none(nvml, lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle)) is not None
    return responds and memory_mib(nvml, handle)[0] is None


def _read(nvml: Any, device: str, handle: Any, card: Any, clock: Callable[[], float]) -> Reading:
    total, free = memory_mib(nvml, handle)
    used = None if total is None or free is None else total - free
    temperature = read_or_none(nvml, lambda: float(nvml.nvmlDeviceGetTemperature(card, nvml.NVML_TEMPERATURE_GPU)))
    return Reading(
        device=device,
        seconds=clock(),
        used_mib=used,
        total_mib=total,
        needed_mib=used,
        others_mib=_others_mib(nvml, handle, os.getpid()),
        utilisation=read_or_none(nvml, lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100),
        temperature_c=temperature,
        throttle_c=_throttle(nvml, card, temperature),
        # The power draw of the card says nothing about a slice.
        power_w=read_or_none(nvml, lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000) if card is handle else None,
    )


def _throttle(nvml: Any, card: Any, temperature: float | None) -> float | None:
    """The throttling temperature; cards since Ada may report only the margin to it."""
    threshold = read_or_none(
        nvml, lambda: nvml.nvmlDeviceGetTemperatureThreshold(card, nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN)
    )
    if threshold:
        return float(threshold)
    get_margin = getattr(nvml, "nvmlDeviceGetMarginTemperature", None)  # missing in older bindings
    margin = None if get_margin is None else read_or_none(nvml, lambda: get_margin(card))
    return None if margin is None or temperature is None else temperature + margin


def _others_mib(nvml: Any, handle: Any, own_pid: int) -> int | None:
    """Memory of other processes; unknown in a container, where the pids of the driver are not ours."""
    held: dict[int, int | None] = {}
    for query in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses):
        for process in read_or_none(nvml, partial(query, handle)) or ():  # a process may be in both lists
            held[process.pid] = process.usedGpuMemory
    others = [size for pid, size in held.items() if pid != own_pid]
    sizes = [size for size in others if size is not None]
    return sum(sizes) // (1024 * 1024) if own_pid in held and len(sizes) == len(others) else None
