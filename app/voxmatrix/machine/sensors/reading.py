"""What a device is doing at one moment, as facts. What could not be read is None."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One look at a device."""

    device: str  # as --device takes it: cpu, cuda:0
    seconds: float  # of time.monotonic(), when it was taken
    used_mib: int | None = None  # on a CPU by this process and its children; on a GPU by every program
    total_mib: int | None = None
    #: What is gone for good: by every program, without what an allocator only keeps to hand out again.
    needed_mib: int | None = None
    others_mib: int | None = None  # of it, by other programs
    utilisation: float | None = None  # 0 to 1
    temperature_c: float | None = None
    throttle_c: float | None = None  # from here on the device slows itself down
    power_w: float | None = None


#: Looks at its device once. It may raise whatever its driver raises.
Sensor = Callable[[], Reading]
