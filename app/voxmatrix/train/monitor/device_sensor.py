"""A sensor for the device of a training: readings of the driver, completed by torch's view of its memory."""

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
    """A sensor for the device; for devices other than NVIDIA and AMD GPUs, one for the computer."""
    return _cuda_sensor(device) if device.type == "cuda" else nullcontext(CpuSensor())


@contextmanager
def _cuda_sensor(device: torch.device) -> Iterator[Sensor]:
    """A sensor for NVIDIA and AMD GPUs (torch calls both cuda) that never synchronises with the device."""
    properties = torch.cuda.get_device_properties(device)
    torch.cuda.reset_peak_memory_stats(device)  # ignore earlier use of the device
    with ExitStack() as stack:
        driver = _driver(str(device), properties, stack)

        def read() -> Reading:
            reading = Reading(device=str(device), seconds=monotonic()) if driver is None else driver()
            if getattr(properties, "is_integrated", 0):  # CUDA's free memory excludes what Linux can reclaim
                reading = with_computers_memory(reading)
            elif reading.total_mib is None:
                reading = with_free_memory(reading, *torch.cuda.mem_get_info(device))
            return with_allocator(reading, torch.cuda.memory_stats(device))

        yield read


def _driver(device: str, properties: Any, stack: ExitStack) -> Sensor | None:
    if torch.version.hip:
        folder = find_adapter("rocm", bus_address(properties))
        return None if folder is None else DrmSensor(device=device, folder=folder)
    try:
        return stack.enter_context(nvml_sensor(import_module("pynvml"), device, str(getattr(properties, "uuid", ""))))
    except Exception:  # no bindings, no driver library or no such GPU: torch's own readings remain
        return None


def bus_address(properties: Any) -> str | None:
    """The PCI address of a GPU as written by Linux, 0000:c1:00.0; None if this torch does not report it."""
    parts = [getattr(properties, f"pci_{name}_id", None) for name in ("domain", "bus", "device")]
    if not all(isinstance(part, int) for part in parts):
        return None
    domain, bus, slot = parts
    return f"{domain:04x}:{bus:02x}:{slot:02x}.0"


def with_free_memory(reading: Reading, free_bytes: int, total_bytes: int) -> Reading:
    """The reading with memory as reported by CUDA."""
    used = (total_bytes - free_bytes) // _MIB
    return replace(reading, used_mib=used, total_mib=total_bytes // _MIB, needed_mib=used)


def with_allocator(reading: Reading, statistics: dict[str, int]) -> Reading:
    """The reading without memory that torch's allocator caches but does not need: a healthy cache nearly fills the GPU.

    Based on the peak, because between two steps nearly all memory is returned to the cache. The peak is that of the
    whole training: resetting it would disturb other measurements.
    """
    reserved = statistics.get("reserved_bytes.all.current", 0)
    peak = statistics.get("allocated_bytes.all.peak", 0)
    if reading.needed_mib is None:
        return reading
    return replace(reading, needed_mib=max(0, reading.needed_mib - max(0, reserved - peak) // _MIB))
