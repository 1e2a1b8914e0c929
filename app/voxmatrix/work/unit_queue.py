"""The units that no worker has yet, and those that have failed: on which workers, and when one is given up."""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from voxmatrix.work.worker_load import PendingUnit


@dataclass
class UnitQueue:
    """Units in order. Discarded ones stay in `units` and are skipped: their keys are not in `keys` any more."""

    units: deque[PendingUnit] = field(default_factory=deque)
    seconds: float = 0.0  # of audio, estimated, in all of them
    keys: set[str] = field(default_factory=set)

    def append(self, unit: PendingUnit) -> None:
        """Put a unit at the end."""
        self.units.append(unit)
        self._count(unit)

    def put_back(self, unit: PendingUnit) -> None:
        """Put a unit at the front."""
        self.units.appendleft(unit)
        self._count(unit)

    def _count(self, unit: PendingUnit) -> None:
        self.keys.add(unit.key)
        self.seconds += unit.seconds

    def discard(self, unit: PendingUnit) -> None:
        """Remove a unit, if it is there."""
        if unit.key in self.keys:
            self.keys.remove(unit.key)
            self.seconds -= unit.seconds
            if not self.keys:
                self.units.clear()
                self.seconds = 0.0

    def first(self) -> PendingUnit | None:
        """The first unit; None if there is none."""
        while self.units and self.units[0].key not in self.keys:
            self.units.popleft()
        return self.units[0] if self.units else None

    def __iter__(self) -> Iterator[PendingUnit]:
        return (unit for unit in self.units if unit.key in self.keys)


#: A unit is given up after this many failures, on different workers if there are enough.
ATTEMPTS = 3


class Failures:
    """The failures of units that are neither delivered nor given up."""

    def __init__(self) -> None:
        self._workers: dict[str, list[str]] = {}  # by the key of the unit

    def __bool__(self) -> bool:
        return bool(self._workers)

    def add(self, key: str, worker: str, present: Collection[str], *, confirmed: bool) -> bool:
        """A unit failed on a worker. True: it has failed often enough to be given up, and is forgotten here.

        If it is not confirmed that it was this one, it counts only when the unit has not failed before.
        """
        workers = self._workers.setdefault(key, [])
        if workers and not confirmed:
            return False
        workers.append(worker)
        if len(workers) < ATTEMPTS or len(set(workers)) < min(ATTEMPTS, len({*workers, *present})):
            return False
        self.forget(key)
        return True

    def forget(self, key: str) -> None:
        """A unit is done."""
        self._workers.pop(key, None)

    def of(self, key: str) -> Collection[str]:
        """The workers on which a unit has failed."""
        return self._workers.get(key, ())
