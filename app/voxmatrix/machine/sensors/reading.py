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
