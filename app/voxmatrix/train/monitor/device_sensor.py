"""The gauge for the device of a training: its driver's, with what only torch knows of its memory."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import replace
from importlib import import_module
from time import monotonic
from typing import Any

import torch

from voxmatrix.machine.sensors.cpu import CpuSensor, with_computers_memory
from voxmatrix.machine.sensors.drm import DrmSensor, find_adapter
from voxmatrix.machine.sensors.nvml import nvml_sensor
from voxmatrix.machine.sensors.reading import Reading, Sensor

_MIB = 1024 * 1024


def device_sensor(device: torch.device) -> AbstractContextManager[Sensor]:
    """A GPU's figures; of a device that has no gauge of its own, the computer's."""
    return _cuda_sensor(device) if device.type == "cuda" else nullcontext(CpuSensor())


@contextmanager
def _cuda_sensor(device: torch.device) -> Iterator[Sensor]:
    """NVIDIA's and AMD's GPUs: torch calls both cuda. Nothing here waits for the device."""
    properties = torch.cuda.get_device_properties(device)
    torch.cuda.reset_peak_memory_stats(device)  # whatever was tried before does not count
    with ExitStack() as opened:
        driver = _driver(str(device), properties, opened)

        def look() -> Reading:
            reading = Reading(device=str(device), seconds=monotonic()) if driver is None else driver()
            if getattr(properties, "is_integrated", 0):  # CUDA's own "free" there leaves out what Linux can reclaim
                reading = with_computers_memory(reading)
            elif reading.total_mib is None:
                reading = with_free_memory(reading, *torch.cuda.mem_get_info(device))
            return with_allocator(reading, torch.cuda.memory_stats(device))

        yield look


def _driver(device: str, properties: Any, opened: ExitStack) -> Sensor | None:
    if torch.version.hip:
        folder = find_adapter("rocm", bus_address(properties))
        return None if folder is None else DrmSensor(device=device, folder=folder)
    try:
        return opened.enter_context(nvml_sensor(import_module("pynvml"), device, str(getattr(properties, "uuid", ""))))
    except Exception:  # no bindings, no driver's library, no such card: torch's own figures remain
        return None


def bus_address(properties: Any) -> str | None:
    """The address of a GPU as Linux writes it, 0000:c1:00.0; None where this torch does not say it."""
    parts = [getattr(properties, f"pci_{name}_id", None) for name in ("domain", "bus", "device")]
    if not all(isinstance(part, int) for part in parts):
        return None
    domain, bus, slot = parts
    return f"{domain:04x}:{bus:02x}:{slot:02x}.0"


def with_free_memory(reading: Reading, free_bytes: int, total_bytes: int) -> Reading:
    """The reading with memory as CUDA says it."""
    used = (total_bytes - free_bytes) // _MIB
    return replace(reading, used_mib=used, total_mib=total_bytes // _MIB, needed_mib=used)


def with_allocator(reading: Reading, statistics: dict[str, int]) -> Reading:
    """What torch's allocator holds in reserve is not needed: close to the total is where a healthy cache ends up.

    The peak counts, and not this moment: between two steps nearly everything is handed back to the cache. It is the
    peak of the whole training, so that nobody else who measures one is disturbed.
    """
    reserved = statistics.get("reserved_bytes.all.current", 0)
    peak = statistics.get("allocated_bytes.all.peak", 0)
    if reading.needed_mib is None:
        return reading
    return replace(reading, needed_mib=max(0, reading.needed_mib - max(0, reserved - peak) // _MIB))
