"""Engines that several voices of this process share: each runs once, however many voices it has."""

import threading
from collections.abc import Collection
from typing import Any

from voxmatrix.closing import Closeable
from voxmatrix.external.installed import Engine
from voxmatrix.external.process import EngineProcess, EngineStart, Limits


class SharedEngine(Closeable):
    """An engine for all voices of this process that need the same one. Made by `share`; thread-safe."""

    def __init__(self, engine: Engine, start: EngineStart, limits: Limits) -> None:
        self.users = 0
        self._engine, self._start, self._limits = engine, start, limits
        self._process: EngineProcess | None = None
        self._lock = threading.Lock()

    @property
    def processes(self) -> Collection[int]:
        """Its process, if it has been started."""
        process = self._process
        return [] if process is None else [process.pid]

    def load(self) -> None:
        """Start it, unless it runs.

        Raises:
            As `EngineProcess`.
        """
        with self._lock:
            self._running()

    def speak(self, *arguments: Any) -> dict[str, Any]:
        """`EngineProcess.speak`, in its turn."""
        with self._lock:
            return self._running().speak(*arguments)

    def _running(self) -> EngineProcess:
        if self._process is None or not self._process.is_running:
            if self._process is not None:
                self._process.close()
                self._process = None
            self._process = EngineProcess(self._engine, self._start, self._limits, lambda: self.users > 0)
        return self._process

    def close(self) -> None:
        """End it at once, if nobody else needs it."""
        with _sharing:
            self.users -= 1
            if self.users:
                return
            _shared.pop(self._start, None)
        with self._lock:
            if self._process is not None:
                self._process.close()


_shared: dict[EngineStart, SharedEngine] = {}
_sharing = threading.Lock()


def share(engine: Engine, start: EngineStart, limits: Limits) -> SharedEngine:
    """The engine that is started like this, to be closed by each who asked for it."""
    with _sharing:
        shared = _shared.setdefault(start, SharedEngine(engine, start, limits))
        shared.users += 1
        return shared
