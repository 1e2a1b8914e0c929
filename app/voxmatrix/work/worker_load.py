"""What the scheduler knows of workers: what each holds, how fast it is, when it last made progress, when all end."""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

#: The speed is that of about this many seconds: of many units of a fast worker, and of a few of a slow one.
_MEASURED_SECONDS = 10.0
_MIN_SECONDS = 1e-6
#: Silent for longer than this many times the expected time, plus these seconds: overdue.
_OVERDUE_TIMES = 2.0
_OVERDUE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PendingUnit:
    """A unit as the scheduler sees it: its key, and how long it is, in estimated seconds of audio."""

    key: str
    seconds: float


class WorkerLoad:
    """A worker with its batches. Times are in seconds on any clock that never goes back."""

    __slots__ = (
        "_begun",
        "_ends",
        "_seconds",
        "_spoken",
        "_worked",
        "at_once",
        "batches",
        "name",
        "overhead",
        "since",
        "speed",
        "stuck_on",
        "unresponsive",
    )

    def __init__(self, name: str, speed: float, overhead: float, now: float, at_once: int = 1) -> None:
        """`speed` is a guess, in seconds of audio per second; `overhead` is in seconds a batch.

        `at_once` is how many units it speaks at once.
        """
        self.name = name
        self.at_once = at_once
        self.speed = speed
        self.overhead = overhead
        #: Unreported units of each batch, in the order in which they are spoken.
        self.batches: list[dict[str, PendingUnit]] = []
        #: The last report, or the submission to an idle worker.
        self.since = now
        #: Overdue: it gets nothing until it reports.
        self.unresponsive = False
        #: The unit that an overdue worker was speaking.
        self.stuck_on: str | None = None
        self._seconds = 0.0
        self._spoken = self._worked = 0.0  # seconds of audio, and what they took; older ones count less
        self._begun = False  # something of the first batch was reported
        self._ends: tuple[float, float] | None = None  # what `ends_in` said for a time, until something happens

    @property
    def measured(self) -> bool:
        """Whether the speed is no longer a guess."""
        return self._worked > 0

    def units(self) -> Iterator[PendingUnit]:
        """All units that it holds, in order."""
        for batch in self.batches:
            yield from batch.values()

    @property
    def speaking(self) -> str | None:
        """The unit that it speaks, as far as known: the first one that it has not reported."""
        return self.stuck_on or next((unit.key for unit in self.units()), None)

    def hold(self, units: list[PendingUnit], now: float) -> None:
        """Another batch was submitted."""
        self._ends = None
        if not self.batches:
            self.since = now
        self.batches.append({unit.key: unit for unit in units})
        self._seconds += sum(unit.seconds for unit in units)

    def drop(self, key: str) -> PendingUnit | None:
        """Forget a unit; None if it does not hold it."""
        for place, batch in enumerate(self.batches):
            unit = batch.pop(key, None)
            if unit is not None:
                self._ends = None
                self._seconds -= unit.seconds
                if not batch:
                    self._forget(place)
                return unit
        return None

    def _forget(self, place: int) -> None:
        del self.batches[place]
        if place == 0:
            self._begun = False
        if not self.batches:
            self._seconds = 0.0  # sums of floats drift

    def report(self, unit: PendingUnit | None, wall_seconds: float, now: float) -> None:
        """It has spoken a unit, which it may not hold any more, in this time."""
        self.since, self._ends = now, None
        self.unresponsive, self.stuck_on = False, None
        if unit is None:
            return
        took = max(wall_seconds, _MIN_SECONDS)
        kept = math.exp(-took / _MEASURED_SECONDS)
        self._spoken = kept * self._spoken + unit.seconds
        self._worked = kept * self._worked + took
        self.speed = self._spoken / self._worked
        first = self.batches and unit.key in self.batches[0]
        if self.drop(unit.key) is not None and first and self.batches:
            self._begun = True

    def _current(self) -> float:
        """Seconds that the unit being spoken was expected to take since the last progress."""
        first = next(iter(self.batches[0].values()))
        return first.seconds / self.speed + (0.0 if self._begun else self.overhead)

    def ends_in(self, now: float) -> float:
        """Seconds until it has probably finished all that it holds.

        One that is late is expected to stay silent for as long again as it is late already: so an idle worker soon
        takes over from one that has stalled without a word.
        """
        if not self.batches:
            return 0.0
        if self._ends is None or self._ends[0] != now:  # a decision asks for it thousands of times
            left = self._seconds / self.speed + self.overhead * (len(self.batches) - self._begun)
            current, since = self._current(), now - self.since
            self._ends = now, left - since if since <= current else left - current + (since - current)
        return self._ends[1]

    def overdue(self, now: float) -> bool:
        """Whether it has been silent for too long, so that others must do its work."""
        late = now - self.since - _OVERDUE_SECONDS
        return late > 0 and bool(self.batches) and late > _OVERDUE_TIMES * self._current()


class FinishEstimate:
    """Water filling: work of `seconds` of audio is poured over workers of which each is busy for some time."""

    def __init__(self, busy: Sequence[tuple[float, float]], seconds: float) -> None:
        """`busy` has a pair for each worker: seconds until it is free, and its speed."""
        self._free = sorted(busy)
        self._seconds = seconds
        self._speeds = list(accumulate((speed for _, speed in self._free), initial=0.0))
        self._offsets = list(accumulate((free * speed for free, speed in self._free), initial=0.0))

    def ends_in(self, without: tuple[float, float] | None = None) -> float:
        """Seconds until everything is done, by all workers or by all but one; infinite without workers."""
        low, high = 0, len(self._free)
        while low < high:  # the number of workers that are free before the end
            middle = (low + high) // 2
            if self._poured(self._free[middle][0], middle, without) < self._seconds:
                low = middle + 1
            else:
                high = middle
        speed, offset = self._speeds[low], self._offsets[low]
        if without is not None and bisect_left(self._free, without) < low:
            speed, offset = speed - without[1], offset - without[0] * without[1]
        if speed <= 1e-12:
            return self._first_free(without)
        return (self._seconds + offset) / speed

    def _poured(self, level: float, count: int, without: tuple[float, float] | None) -> float:
        """Audio that the first `count` workers would make until `level`."""
        poured = level * self._speeds[count] - self._offsets[count]
        if without is not None and without[0] < level:
            poured -= (level - without[0]) * without[1]
        return poured

    def _first_free(self, without: tuple[float, float] | None) -> float:
        free = list(self._free)
        if without is not None:
            free.remove(without)
        return free[0][0] if free else float("inf")
