"""Load and memory of the CPU, within the limits of this process, and the memory that it holds."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.machine.probes.limits import cpus, read_memory
from voxmatrix.machine.probes.probe import ask_psutil
from voxmatrix.machine.sensors.hwmon import processor_heat
from voxmatrix.machine.sensors.reading import Reading

#: Shorter intervals are too coarse: process times have a resolution of 10 ms.
_MIN_INTERVAL_SECONDS = 0.5


class CpuSensor:
    """Reads the CPUs and the memory available to this process."""

    def __init__(
        self,
        root: Path = Path("/"),
        clock: Callable[[], float] = time.monotonic,
        busy_seconds: Callable[[], float] = lambda: sum(os.times()[:2]),
    ) -> None:
        self._root = root
        self._clock = clock
        self._busy_seconds = busy_seconds
        self._cpus = cpus(root)
        self._before = (clock(), busy_seconds())
        self._utilisation: float | None = None

    def __call__(self) -> Reading:
        """Current memory, and utilisation since the last reading."""
        now = self._clock()
        heat = processor_heat()
        memory = with_computers_memory(Reading(device="cpu", seconds=now), self._root)
        used = resident_mib()
        needed = memory.needed_mib
        return replace(
            memory,
            used_mib=used,
            others_mib=None if needed is None or used is None else max(0, needed - used),
            utilisation=self._measured(now),
            temperature_c=heat.temperature_c,
            throttle_c=heat.throttle_c,
        )

    def _measured(self, now: float) -> float | None:
        """CPU time of this process (user and system, without children) over the CPU time available to it."""
        (since, busy), busy_now = self._before, self._busy_seconds()
        if now - since >= _MIN_INTERVAL_SECONDS:
            self._utilisation = min(1.0, max(0.0, (busy_now - busy) / (now - since) / self._cpus))
            self._before = (now, busy_now)
        return self._utilisation


def with_computers_memory(reading: Reading, root: Path = Path("/")) -> Reading:
    """The reading with the computer's memory, for a device without its own."""
    memory = read_memory(root)
    total, available = memory.total_mib, memory.available_mib
    used = None if total is None or available is None else max(0, total - available)
    return replace(reading, used_mib=used, total_mib=total, needed_mib=used)


_MIB = 1024 * 1024


def resident_mib() -> int | None:
    """The memory of this process, plus what its children do not share with it.

    The resident size of a forked child includes shared pages: each loading worker would count the dataset once more.
    """
    held = ask_psutil(_held_bytes)
    return None if held is None else held // _MIB


def _held_bytes(psutil: Any) -> int:
    process = psutil.Process()
    held: int = process.memory_info().rss
    for child in process.children(recursive=True):
        try:
            memory = child.memory_full_info()
        except psutil.Error:  # the child has exited
            continue
        held += getattr(memory, "uss", memory.rss)  # not every kernel reports shared memory
    return held
