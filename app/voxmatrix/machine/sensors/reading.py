"""The state of a device at one moment. A value that could not be read is None."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One reading of a device."""

    device: str  # the name for --device: cpu, cuda:0
    seconds: float  # time.monotonic() of the reading
    used_mib: int | None = None  # CPU: by this process and its children; GPU: by all programs
    total_mib: int | None = None
    #: In use by all programs, without memory that an allocator only caches for reuse.
    needed_mib: int | None = None
    others_mib: int | None = None  # part of needed_mib held by other programs
    utilisation: float | None = None  # 0 to 1
    temperature_c: float | None = None
    throttle_c: float | None = None  # the device throttles from this temperature on
    power_w: float | None = None


#: Reads its device once. May raise any exception of the driver.
Sensor = Callable[[], Reading]


def describe_load(reading: Reading | None) -> str:
    """Utilisation, memory and temperature of the device, as far as known: GPU 93 %  11.2/12.0 GiB  71 °C."""
    if reading is None:
        return ""
    used, total = reading.used_mib, reading.total_mib
    known = (
        None if reading.utilisation is None else f"{reading.utilisation:.0%}".replace("%", " %"),
        None if used is None or total is None else f"{used / 1024:.1f}/{total / 1024:.1f} GiB",
        None if reading.temperature_c is None else f"{reading.temperature_c:.0f} °C",
    )
    figures = "  ".join(filter(None, known))
    return f"{'CPU' if reading.device == 'cpu' else 'GPU'} {figures}" if figures else ""
