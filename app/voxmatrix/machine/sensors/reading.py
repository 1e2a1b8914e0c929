"""The state of a device at one moment, and periodic readings in a background thread.

A hanging driver loses readings, nothing else.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
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


EVERY_SECONDS = 2.0
#: Older readings are ignored: the driver hangs, or every reading fails.
STALE_SECONDS = 5 * EVERY_SECONDS
#: Readings buffered for `new`: one hour.
_BUFFERED = 1800
#: The thread ends at once unless the driver hangs; then it is abandoned.
_END_SECONDS = 1.0


class BackgroundSensor:
    """Reads one device from construction to `close`. Exceptions of the driver are not passed on."""

    def __init__(
        self,
        gauge: AbstractContextManager[Sensor],
        every_seconds: float = EVERY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gauge = gauge
        self._every_seconds = every_seconds
        self._clock = clock
        self._buffered: deque[Reading] = deque(maxlen=_BUFFERED)
        self._last: Reading | None = None
        self._closed = threading.Event()
        # A hanging driver call cannot be interrupted; a daemon thread does not keep the program from exiting.
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    def new(self) -> list[Reading]:
        """The readings since the last call, oldest first."""
        readings: list[Reading] = []
        while self._buffered:
            readings.append(self._buffered.popleft())
        return readings

    def latest(self) -> Reading | None:
        """The newest reading; None if there is none yet, or it is stale."""
        last = self._last
        return last if last is not None and self._clock() - last.seconds <= STALE_SECONDS else None

    def close(self, timeout_seconds: float = _END_SECONDS) -> None:
        """Stop reading."""
        self._closed.set()
        self._thread.join(timeout_seconds)

    def _run(self) -> None:
        try:
            with self._gauge as sensor:
                while not self._closed.is_set():
                    self._take(sensor)
                    self._closed.wait(self._every_seconds)
        except Exception:  # a driver library may raise anything when opened or closed; there are no readings then
            return

    def _take(self, sensor: Sensor) -> None:
        try:
            reading = sensor()
        except Exception:  # this reading is lost; the next one may succeed
            return
        self._last = reading
        self._buffered.append(reading)
