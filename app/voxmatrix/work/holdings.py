"""Which worker holds which units, what waits for a worker, and what workers need not speak any more."""

from collections.abc import Sequence

from voxmatrix.work.unit_queue import UnitQueue
from voxmatrix.work.worker_load import PendingUnit, WorkerLoad


class Holdings:
    """Every unit that is not done waits in the queue, or is held by one worker or more."""

    def __init__(self) -> None:
        self.waiting = UnitQueue()
        self._holders: dict[str, list[WorkerLoad]] = {}
        self._recalls: dict[str, list[str]] = {}

    def holders(self, key: str) -> Sequence[WorkerLoad]:
        """The workers that hold a unit."""
        return self._holders.get(key, ())

    def assign(self, load: WorkerLoad, units: list[PendingUnit], now: float) -> None:
        """A worker gets a batch."""
        load.hold(units, now)
        for unit in units:
            self._holders.setdefault(unit.key, []).append(load)

    def release(self, unit: PendingUnit) -> None:
        """A unit is done: nobody need speak it any more."""
        self.waiting.discard(unit)
        for load in self._holders.pop(unit.key, ()):
            if load.drop(unit.key):
                self.recall(load, [unit.key])

    def take(self, load: WorkerLoad, unit: PendingUnit) -> None:
        """A worker does not hold a unit any more."""
        load.drop(unit.key)
        holders = self._holders.get(unit.key, [])
        if load in holders:
            holders.remove(load)
        if not holders:
            self._holders.pop(unit.key, None)

    def put_back(self, unit: PendingUnit) -> None:
        """A unit goes to the front of the queue, unless a worker holds it."""
        if unit.key not in self._holders and unit.key not in self.waiting.keys:
            self.waiting.put_back(unit)

    def take_back(self, load: WorkerLoad) -> list[str]:
        """Everything that a worker holds goes to the front of the queue, unless another one holds it too."""
        units = list(load.units())
        for unit in reversed(units):
            self.take(load, unit)
            self.put_back(unit)
        return [unit.key for unit in units]

    def recall(self, load: WorkerLoad, keys: Sequence[str]) -> None:
        """A worker need not speak these units any more."""
        if keys:
            self._recalls.setdefault(load.name, []).extend(keys)

    def recalls(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What each worker need not speak any more, since the last call: its name, and keys."""
        recalls, self._recalls = self._recalls, {}
        return tuple((worker, tuple(keys)) for worker, keys in recalls.items())

    def leave(self, load: WorkerLoad) -> None:
        """A worker is gone."""
        self.take_back(load)
        self._recalls.pop(load.name, None)
