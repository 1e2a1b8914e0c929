"""Periodic readings of a device in a background thread: a hanging driver loses readings, nothing else."""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager

from voxmatrix.machine.sensors.reading import Reading, Sensor

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
