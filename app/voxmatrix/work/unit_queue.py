"""The units that no worker has yet."""

from collections import deque
from collections.abc import Iterator
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
