"""Which units go to which worker next. Pure: it is told what happens and what time it is, and says what to do.

The rule, with measured figures in docs/scale.md:

- A batch takes 2 to 15 s on its worker, at most what all workers together still need.
- A worker declines a unit that it would finish after the others have finished everything.
- When nothing is left, an idle worker takes over units that it would end sooner than the worker that holds them: those
  not yet begun are moved, and the one being spoken is copied, again if a faster worker becomes idle. The first result
  counts.
- Units of a worker that is gone, or silent for too long, go to others. Late results still count.
- A unit that has failed is a batch of its own. Of a worker that dies, only what it had not reported is known: the unit
  that is blamed may not be the one that it spoke. So that no other unit is blamed, only failures that are certain
  count more than once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voxmatrix.work.unit_queue import Failures, UnitQueue
from voxmatrix.work.worker_load import FinishEstimate, PendingUnit, WorkerLoad

#: Seconds that a batch takes on its worker.
MIN_SECONDS = 2.0
MAX_SECONDS = 15.0
#: The first batch of a worker, whose speed is a guess.
FIRST_SECONDS = 8.0
#: A unit is taken over only if it ends in less than this part of the time.
GAIN = 0.9
#: Batches that a worker holds, so that it never waits for the next one.
IN_FLIGHT = 2
#: Speed of a worker about which nothing is known, in seconds of audio per second.
UNKNOWN_SPEED = 5.0


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """A batch for a worker."""

    worker: str
    units: tuple[PendingUnit, ...]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """What to do now: first tell workers what they need not speak any more, then give them batches."""

    recalls: tuple[tuple[str, tuple[str, ...]], ...] = ()  # worker, keys
    assignments: tuple[Assignment, ...] = ()


class Scheduler:
    """The queue of units, and one lane per worker."""

    def __init__(self, overhead_seconds: float = 0.3) -> None:
        """`overhead_seconds` is what a batch costs a worker in addition to speaking."""
        self._overhead = overhead_seconds
        self._lanes: dict[str, WorkerLoad] = {}
        self._open: dict[str, PendingUnit] = {}  # added and neither delivered nor given up
        self._holders: dict[str, list[WorkerLoad]] = {}
        self._waiting = UnitQueue()
        self._failures = Failures()
        self._recalls: dict[str, list[str]] = {}
        self._drained: tuple[float, FinishEstimate] | None = None  # as of a time, until something is assigned
        #: Seconds of audio that exist but were not added yet, so that endings are estimated well.
        self.later_seconds = 0.0

    # What happens -----------------------------------------------------------------------------------------------------

    def add(self, units: Iterable[PendingUnit]) -> None:
        """More units, in the order in which they should be spoken. A key that is open already is left out."""
        for unit in units:
            if unit.key not in self._open:
                self._open[unit.key] = unit
                self._waiting.append(unit)

    def joined(self, worker: str, now: float, speed: float | None = None) -> None:
        """A worker is there, or there again: whatever it held before is lost."""
        self.left(worker)
        self._lanes[worker] = WorkerLoad(worker, speed or UNKNOWN_SPEED, self._overhead, now)

    def left(self, worker: str) -> None:
        """A worker is gone."""
        lane = self._lanes.pop(worker, None)
        if lane:
            self._take_back(lane)
        self._recalls.pop(worker, None)

    def delivered(self, worker: str, key: str, wall_seconds: float, now: float) -> bool:
        """A worker has spoken a unit. False: another was faster, or nobody needs it."""
        lane, unit = self._lanes.get(worker), self._open.pop(key, None)
        if lane:
            lane.report(unit, wall_seconds, now)
        if unit is None:
            return False
        self._release(unit, lane)
        self._failures.forget(key)
        return True

    def failed(self, worker: str, key: str, now: float, *, certain: bool = True) -> bool:
        """A worker could not speak a unit; or died, `certain` if it can only have spoken this one. True: given up."""
        lane, unit = self._lanes.get(worker), self._open.get(key)
        if lane:
            lane.report(None, 0.0, now)
            lane.drop(key)
        if unit is None:
            return False
        if self._failures.add(key, worker, self._lanes, certain=certain):
            del self._open[key]
            self._release(unit, lane)
            return True
        holders = self._holders.get(key, [])
        if lane in holders:
            holders.remove(lane)
        if not holders and key not in self._waiting.keys:
            self._holders.pop(key, None)
            self._waiting.put_back(unit)
        return False

    def speaking(self, worker: str) -> str | None:
        """The unit that a worker speaks, as far as known: the first one that it has not reported."""
        lane = self._lanes.get(worker)
        return lane.stuck_on or next((unit.key for unit in lane.units()), None) if lane else None

    # What is the case -------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """Units in the queue."""
        return len(self._waiting.keys)

    @property
    def unfinished(self) -> int:
        """Units that are neither delivered nor given up."""
        return len(self._open)

    def speeds(self) -> dict[str, float]:
        """Seconds of audio per second of every worker, measured or guessed."""
        return {name: lane.speed for name, lane in self._lanes.items()}

    def seconds_left(self, now: float) -> float | None:
        """Estimated time until all is done; None without workers."""
        lanes = self._trusted()
        self._drained = None
        return self._drain(lanes, now).ends_in() if lanes else None

    def silent(self, now: float, seconds: float) -> list[str]:
        """Workers that owe results and have said nothing for `seconds`."""
        return [lane.name for lane in self._lanes.values() if lane.suspect and now - lane.since > seconds]

    # What to do -------------------------------------------------------------------------------------------------------

    def decide(self, now: float) -> Decision:
        """What to do now. Call it after every report, and every quarter of a second without one."""
        for lane in self._lanes.values():
            if not lane.suspect and lane.overdue(now):
                lane.stuck_on = self.speaking(lane.name)
                lane.suspect = True
                # Not the unit that it speaks: its report tells that the worker is alive.
                self._recall(lane, [key for key in self._take_back(lane) if key != lane.stuck_on])
        assignments = []
        self._drained = None
        trusted = self._trusted()
        if self._waiting.keys:
            assignments += self._feed(trusted, now)
        if not (assignments or self._waiting.keys or self.later_seconds):
            assignments += self._relieve(trusted, now)
        recalls = tuple((worker, tuple(keys)) for worker, keys in self._recalls.items())
        self._recalls.clear()
        return Decision(recalls=recalls, assignments=tuple(assignments))

    def _trusted(self) -> list[WorkerLoad]:
        """The workers that report, fastest first."""
        return sorted((lane for lane in self._lanes.values() if not lane.suspect), key=lambda lane: -lane.speed)

    def _feed(self, lanes: Sequence[WorkerLoad], now: float) -> list[Assignment]:
        """Batches of the queue for all workers that have room."""
        found = []
        total = sum(lane.speed for lane in lanes)
        for lane in lanes:
            while len(lane.batches) < (IN_FLIGHT if lane.measured else 1):
                units = self._next_batch(lane, lanes, total, now)
                if not units:
                    break
                found.append(self._assign(lane, units, now))
        return found

    def _next_batch(self, lane: WorkerLoad, lanes: Sequence[WorkerLoad], total: float, now: float) -> list[PendingUnit]:
        """The next units for a worker with room; none if it declines, or if the queue has none for it."""
        first = self._next_unit(lane)
        if first is None:
            return []
        own = lane.ends_in(now)
        # No sharing out can end sooner than this: while it is far away, nothing more need be computed.
        drained = (self._waiting.seconds + self.later_seconds) / total
        ends = own + lane.overhead + first.seconds / lane.speed
        if ends > drained or drained - own < MAX_SECONDS:
            drain = self._drain(lanes, now)
            drained = drain.ends_in()
            if ends > drained and self._declines(lane, lanes, first, drain, now):
                return []
        most = MAX_SECONDS if lane.measured else FIRST_SECONDS
        seconds = min(most, max(MIN_SECONDS, drained - own)) * lane.speed
        units: list[PendingUnit] = []
        while (unit := self._next_unit(lane)) and (not units or unit.seconds <= seconds):
            if units and (self._has_failed(unit) or self._has_failed(units[0])):
                break
            self._waiting.discard(unit)
            units.append(unit)
            seconds -= unit.seconds
        return units

    def _next_unit(self, lane: WorkerLoad) -> PendingUnit | None:
        """The first unit of the queue, but for those that failed here and that another worker has yet to try."""
        first = self._waiting.first()
        if first is None or not self._failures or self._may_try(lane, first):
            return first
        return next((unit for unit in self._waiting if self._may_try(lane, unit)), None)

    def _has_failed(self, unit: PendingUnit) -> bool:
        return bool(self._failures.of(unit.key))

    def _may_try(self, lane: WorkerLoad, unit: PendingUnit) -> bool:
        workers = self._failures.of(unit.key)
        if lane.name not in workers:
            return True
        return not any(other.name not in workers and not other.suspect for other in self._lanes.values())

    def _declines(
        self, lane: WorkerLoad, lanes: Sequence[WorkerLoad], unit: PendingUnit, drain: FinishEstimate, now: float
    ) -> bool:
        """Whether all others would have finished before this worker ends its next unit, and one of them sooner."""
        own = lane.ends_in(now)
        ends = own + lane.overhead + unit.seconds / lane.speed
        if ends <= drain.ends_in(without=(own, lane.speed)):
            return False
        others = (other for other in lanes if other is not lane and self._may_try(other, unit))
        return any(ends > other.ends_in(now) + other.overhead + unit.seconds / other.speed for other in others)

    def _drain(self, lanes: Sequence[WorkerLoad], now: float) -> FinishEstimate:
        if self._drained is None or self._drained[0] != now:
            busy = [(lane.ends_in(now), lane.speed) for lane in lanes]
            self._drained = now, FinishEstimate(busy, self._waiting.seconds + self.later_seconds)
        return self._drained[1]

    def _relieve(self, lanes: Sequence[WorkerLoad], now: float) -> list[Assignment]:
        """For workers without work, fastest first: units of those that would end last."""
        idle = [lane for lane in lanes if not lane.batches]
        if not idle:
            return []
        ends = {lane: lane.ends_in(now) for lane in lanes if lane.batches}
        found = []
        for lane in idle:
            assignment = self._relieved_by(lane, ends, now)
            if assignment:
                found.append(assignment)
            elif not self._failures:
                break  # the others are no faster, and may try the same units
        return found

    def _relieved_by(self, lane: WorkerLoad, ends: dict[WorkerLoad, float], now: float) -> Assignment | None:
        """A batch of what a busy worker holds, whose end then changes."""
        for other in sorted(ends, key=lambda busy: -ends[busy]):
            if lane.overhead >= GAIN * ends[other]:
                return None  # the others end even sooner
            if units := self._taken_over(lane, other, ends[other], now):
                ends[other] = other.ends_in(now)
                return self._assign(lane, units, now)
        return None

    def _taken_over(self, lane: WorkerLoad, other: WorkerLoad, there: float, now: float) -> list[PendingUnit]:
        """Units from the back of what `other` holds, as long as each ends sooner here than with all who hold it.

        `there` is when `other` ends. The unit that it speaks is copied, the others are moved.
        """
        units = [unit for unit in other.units() if self._may_try(lane, unit)]
        speaking = self.speaking(other.name)
        ends = lane.overhead
        taken: list[PendingUnit] = []
        for unit in reversed(units):
            ends += unit.seconds / lane.speed
            copies = [holder.ends_in(now) for holder in self._holders[unit.key] if holder is not other]
            if ends >= GAIN * min([there, *copies]):
                break
            if taken and (self._has_failed(unit) or self._has_failed(taken[0])):
                break
            taken.append(unit)
            there -= unit.seconds / other.speed
        moved = [unit.key for unit in taken if unit.key != speaking]
        for key in moved:
            other.drop(key)
            self._holders[key].remove(other)
        self._recall(other, moved)
        return taken[::-1]

    # Bookkeeping ------------------------------------------------------------------------------------------------------

    def _assign(self, lane: WorkerLoad, units: list[PendingUnit], now: float) -> Assignment:
        lane.hold(units, now)
        self._drained = None
        for unit in units:
            self._holders.setdefault(unit.key, []).append(lane)
        return Assignment(worker=lane.name, units=tuple(units))

    def _release(self, unit: PendingUnit, by: WorkerLoad | None) -> None:
        """A unit is done: nobody else need speak it."""
        self._waiting.discard(unit)
        for lane in self._holders.pop(unit.key, ()):
            if lane is not by and lane.drop(unit.key):
                self._recall(lane, [unit.key])

    def _take_back(self, lane: WorkerLoad) -> list[str]:
        """Everything that a worker holds goes back to the front of the queue, unless another one has it too."""
        units = list(lane.units())
        for unit in reversed(units):
            lane.drop(unit.key)
            holders = self._holders.get(unit.key, [])
            if lane in holders:
                holders.remove(lane)
            if not holders:
                self._holders.pop(unit.key, None)
                self._waiting.put_back(unit)
        return [unit.key for unit in units]

    def _recall(self, lane: WorkerLoad, keys: Sequence[str]) -> None:
        if keys and lane.name in self._lanes:
            self._recalls.setdefault(lane.name, []).extend(keys)
