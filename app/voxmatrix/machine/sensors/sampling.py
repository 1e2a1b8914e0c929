"""Looks at a device every few seconds, in a thread of its own: a driver that hangs costs its figures, nothing else."""

import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager

from voxmatrix.machine.sensors.reading import Reading, Sensor

EVERY_SECONDS = 2.0
#: A reading that is older says nothing about now: the driver hangs, or fails every time.
STALE_SECONDS = 5 * EVERY_SECONDS
#: Readings that wait to be taken: an hour between two reports.
_WAITING = 1800
#: The thread ends at once unless its driver hangs; then it is left behind.
_END_SECONDS = 1.0


class BackgroundSensor:
    """Readings of one device, from its beginning to `close`. Never raises what a driver raises."""

    def __init__(
        self,
        gauge: AbstractContextManager[Sensor],
        every_seconds: float = EVERY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gauge = gauge
        self._every_seconds = every_seconds
        self._clock = clock
        self._waiting: deque[Reading] = deque(maxlen=_WAITING)
        self._last: Reading | None = None
        self._over = threading.Event()
        # A driver that hangs is not ended by anything: a daemon thread does not keep the program from ending.
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    def new(self) -> list[Reading]:
        """Those taken since the last call, oldest first."""
        taken: list[Reading] = []
        while self._waiting:
            taken.append(self._waiting.popleft())
        return taken

    def latest(self) -> Reading | None:
        """The newest one; None when there is none yet, or none for a while."""
        last = self._last
        return last if last is not None and self._clock() - last.seconds <= STALE_SECONDS else None

    def close(self, timeout_seconds: float = _END_SECONDS) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join(timeout_seconds)

    def _run(self) -> None:
        try:
            with self._gauge as look:
                while not self._over.is_set():
                    self._take(look)
                    self._over.wait(self._every_seconds)
        except Exception:  # whatever a driver's library raises when it is opened or closed: there are no figures then
            return

    def _take(self, look: Sensor) -> None:
        try:
            reading = look()
        except Exception:  # this reading is lost, the next one may come
            return
        self._last = reading
        self._waiting.append(reading)
