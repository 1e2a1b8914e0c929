"""What one of NVIDIA's GPUs, or a slice of it under MIG, is doing: through NVML."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from voxmatrix.machine.probes.nvml import asked, memory_mib
from voxmatrix.machine.sensors.cpu import with_computers_memory
from voxmatrix.machine.sensors.reading import Reading, Sensor


@contextmanager
def nvml_sensor(
    nvml: Any, device: str, uuid: str, root: Path = Path("/"), clock: Callable[[], float] = time.monotonic
) -> Iterator[Sensor]:
    """Looks at the GPU or the slice with this uuid; `nvml` is the module pynvml, or what a test gives instead.

    Raises:
        nvml.NVMLError: there is no driver, or it knows no such GPU.
    """
    nvml.nvmlInit()
    try:
        handle = _find(nvml, uuid)
        part = asked(nvml, lambda: bool(nvml.nvmlDeviceIsMigDeviceHandle(handle))) or False
        # Heat and power are matters of the whole card: a slice has no sensor of its own.
        card = asked(nvml, lambda: nvml.nvmlDeviceGetDeviceHandleFromMigDeviceHandle(handle)) if part else handle
        look = partial(_read, nvml, device, handle, card, clock)
        yield (lambda: with_computers_memory(look(), root)) if not part and _shares_memory(nvml, handle) else look
    finally:
        nvml.nvmlShutdown()


def _find(nvml: Any, uuid: str) -> Any:
    """torch says an id without saying of what: a card or a slice."""
    bare = uuid.removeprefix("GPU-").removeprefix("MIG-")
    card = asked(nvml, lambda: nvml.nvmlDeviceGetHandleByUUID(f"GPU-{bare}"))
    return card if card is not None else nvml.nvmlDeviceGetHandleByUUID(f"MIG-{bare}")


def _shares_memory(nvml: Any, handle: Any) -> bool:
    """GB10 and Jetson answer, and have no memory of their own to tell of."""
    known = asked(nvml, lambda: nvml.nvmlDeviceGetCudaComputeCapability(handle)) is not None
    return known and memory_mib(nvml, handle)[0] is None


def _read(nvml: Any, device: str, handle: Any, card: Any, clock: Callable[[], float]) -> Reading:
    total, free = memory_mib(nvml, handle)
    used = None if total is None or free is None else total - free
    temperature = asked(nvml, lambda: float(nvml.nvmlDeviceGetTemperature(card, nvml.NVML_TEMPERATURE_GPU)))
    return Reading(
        device=device,
        seconds=clock(),
        used_mib=used,
        total_mib=total,
        needed_mib=used,
        others_mib=_others_mib(nvml, handle, os.getpid()),
        utilisation=asked(nvml, lambda: nvml.nvmlDeviceGetUtilizationRates(handle).gpu / 100),
        temperature_c=temperature,
        throttle_c=_throttle(nvml, card, temperature),
        # The card's power would say nothing about its slice.
        power_w=asked(nvml, lambda: nvml.nvmlDeviceGetPowerUsage(handle) / 1000) if card is handle else None,
    )


def _throttle(nvml: Any, card: Any, temperature: float | None) -> float | None:
    """Where the card slows itself down; cards from Ada on may say only how far away that is."""
    threshold = asked(
        nvml, lambda: nvml.nvmlDeviceGetTemperatureThreshold(card, nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN)
    )
    if threshold:
        return float(threshold)
    margin = getattr(nvml, "nvmlDeviceGetMarginTemperature", None)  # older bindings have no such function
    left = None if margin is None else asked(nvml, lambda: margin(card))
    return None if left is None or temperature is None else temperature + left


def _others_mib(nvml: Any, handle: Any, own: int) -> int | None:
    """Memory of other processes; unknown in a container, where the driver's numbers of processes are not ours."""
    held: dict[int, int | None] = {}
    for ask in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses):
        for process in asked(nvml, partial(ask, handle)) or ():  # one that also draws is in both lists
            held[process.pid] = process.usedGpuMemory
    others = [size for number, size in held.items() if number != own]
    known = [size for size in others if size is not None]
    return sum(known) // (1024 * 1024) if own in held and len(known) == len(others) else None
