"""Which units go to which worker next. Pure: it is told what happens and what time it is, and says what to do.

The rule, with measured figures in docs/scale.md:

- A batch takes 2 to 15 s on its worker, at most what all workers together still need.
- A worker skips a unit that it would finish after the others have finished everything.
- When nothing is left, an idle worker steals units that it would end sooner than the worker that holds them: those
  not yet begun are moved, and the one being spoken is copied, again if a faster worker becomes idle. The first result
  counts.
- Units of a worker that is gone, or silent for too long, go to others. Late results still count.
- Long texts are not given ahead: whoever is free gets the next one, also after a failure, and nobody speaks what
  another one has begun.
- A unit that has failed is a batch of its own. Of a worker that dies, only what it had not reported is known: the unit
  that is blamed may not be the one that it spoke. So that no other unit is blamed, only failures that are confirmed
  count more than once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voxmatrix.work.failures import ATTEMPTS, Failures
from voxmatrix.work.holdings import Holdings
from voxmatrix.work.worker_load import FinishEstimate, PendingUnit, WorkerLoad

#: Seconds that a batch takes on its worker.
MIN_SECONDS = 2.0
MAX_SECONDS = 15.0
#: The first batch of a worker, whose speed is a guess.
FIRST_SECONDS = 8.0
#: A unit is stolen over only if it ends in less than this part of the time.
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
    """The queue of units, and the load of each worker."""

    def __init__(self, overhead_seconds: float = 0.3, *, ahead: bool = True, attempts: int = ATTEMPTS) -> None:
        """`overhead_seconds` is what a batch costs a worker in addition to speaking.

        If not `ahead`, units are long texts. A unit is given up after this many `attempts`.
        """
        self._overhead, self._ahead = overhead_seconds, ahead
        self._loads: dict[str, WorkerLoad] = {}
        self._open: dict[str, PendingUnit] = {}  # added and neither delivered nor given up
        self._held = Holdings()
        self._failures = Failures(attempts)
        self._estimate: tuple[float, FinishEstimate] | None = None  # as of a time, until something is assigned
        #: Seconds of audio that exist but were not added yet, so that endings are estimated well.
        self.later_seconds = 0.0

    def add(self, units: Iterable[PendingUnit]) -> None:
        """More units, in the order in which they should be spoken. A key that is open already is left out."""
        for unit in units:
            if unit.key not in self._open:
                self._open[unit.key] = unit
                self._held.waiting.append(unit)

    def joined(self, worker: str, now: float, speed: float | None = None, at_once: int = 1) -> None:
        """A worker is there, or there again: whatever it held before is lost. It speaks `at_once` units at once."""
        self.left(worker)
        self._loads[worker] = WorkerLoad(worker, speed or UNKNOWN_SPEED, self._overhead, now, at_once)

    def left(self, worker: str) -> None:
        """A worker is gone."""
        load = self._loads.pop(worker, None)
        if load:
            self._held.leave(load)

    def delivered(self, worker: str, key: str, wall_seconds: float, now: float) -> bool:
        """A worker has spoken a unit. False: another was faster, or nobody needs it."""
        load, unit = self._loads.get(worker), self._open.pop(key, None)
        if load:
            load.report(unit, wall_seconds, now)
        if unit is None:
            return False
        self._held.release(unit)
        self._failures.forget(key)
        return True

    def failed(self, worker: str, key: str, now: float, *, confirmed: bool = True, final: bool = False) -> bool:
        """A worker could not speak a unit; or died, `confirmed` if it can only have spoken this one.

        True: it is given up, at once if this is `final`.
        """
        load, unit = self._loads.get(worker), self._open.get(key)
        if load:
            load.report(None, 0.0, now)
        if unit is None:
            return False
        if load:
            self._held.take(load, unit)
        if final or self._failures.add(key, worker, self._loads if self._ahead else (), confirmed=confirmed):
            del self._open[key]
            self._failures.forget(key)
            self._held.release(unit)
            return True
        self._held.put_back(unit)
        return False

    @property
    def waiting(self) -> int:
        """Units in the queue."""
        return len(self._held.waiting.keys)

    @property
    def unfinished(self) -> int:
        """Units that are neither delivered nor given up."""
        return len(self._open)

    def speeds(self) -> dict[str, float]:
        """Seconds of audio per second of every worker, measured or guessed."""
        return {name: load.speed for name, load in self._loads.items()}

    def seconds_left(self, now: float) -> float | None:
        """Estimated time until all is done; None without workers."""
        loads = self._trusted()
        self._estimate = None
        return self._finish(loads, now).ends_in() if loads else None

    def silent(self, now: float, seconds: float) -> list[str]:
        """Workers that owe results and have said nothing for `seconds`."""
        return [load.name for load in self._loads.values() if load.unresponsive and now - load.since > seconds]

    def decide(self, now: float) -> Decision:
        """What to do now. Call it after every report, and every quarter of a second without one."""
        if self._ahead:
            self._notice_overdue(now)
        assignments = []
        self._estimate = None
        trusted = self._trusted()
        if self._held.waiting.keys:
            assignments += self._feed(trusted, now)
        if self._ahead and not (assignments or self._held.waiting.keys or self.later_seconds):
            assignments += self._steal(trusted, now)
        return Decision(recalls=self._held.recalls(), assignments=tuple(assignments))

    def _notice_overdue(self, now: float) -> None:
        """What workers hold that have been silent for too long goes to others."""
        for load in self._loads.values():
            if not load.unresponsive and load.overdue(now):
                load.stuck_on = load.speaking
                load.unresponsive = True
                # Not the unit that it speaks: its report tells that the worker is alive.
                self._held.recall(load, [key for key in self._held.take_back(load) if key != load.stuck_on])

    def _trusted(self) -> list[WorkerLoad]:
        """The workers that report, fastest first."""
        return sorted((load for load in self._loads.values() if not load.unresponsive), key=lambda load: -load.speed)

    def _feed(self, loads: Sequence[WorkerLoad], now: float) -> list[Assignment]:
        """Batches of the queue for all workers that have room."""
        found = []
        total = sum(load.speed for load in loads)
        for load in loads:
            while units := self._next_batch(load, loads, total, now) if self._ahead else self._next_text(load):
                found.append(self._assign(load, units, now))
        return found

    def _next_text(self, load: WorkerLoad) -> list[PendingUnit]:
        """The next unit for a worker that could speak another one now. One that has failed is spoken alone."""
        unit, held = self._held.waiting.first(), list(load.units())
        if unit is None or len(held) >= load.at_once:
            return []
        if held and any(one.key in self._failures for one in (unit, *held)):
            return []
        self._held.waiting.discard(unit)
        return [unit]

    def _next_batch(self, load: WorkerLoad, loads: Sequence[WorkerLoad], total: float, now: float) -> list[PendingUnit]:
        """The next units for a worker; none if it has enough, if it skips them, or if the queue has none for it."""
        has_room = len(load.batches) < (IN_FLIGHT if load.measured else 1)
        first = self._next_unit(load) if has_room else None
        if first is None:
            return []
        own = load.ends_in(now)
        # No sharing out can end sooner than this: while it is far away, nothing more need be computed.
        all_end = (self._held.waiting.seconds + self.later_seconds) / total
        ends = own + load.overhead + first.seconds / load.speed
        if ends > all_end or all_end - own < MAX_SECONDS:
            finish = self._finish(loads, now)
            all_end = finish.ends_in()
            if ends > all_end and self._should_skip(load, loads, first, finish, now):
                return []
        most = MAX_SECONDS if load.measured else FIRST_SECONDS
        seconds = min(most, max(MIN_SECONDS, all_end - own)) * load.speed
        units: list[PendingUnit] = []
        while (unit := self._next_unit(load)) and (not units or unit.seconds <= seconds):
            if units and (unit.key in self._failures or units[0].key in self._failures):
                break
            self._held.waiting.discard(unit)
            units.append(unit)
            seconds -= unit.seconds
        return units

    def _next_unit(self, load: WorkerLoad) -> PendingUnit | None:
        """The first unit of the queue, but for those that failed here and that another worker has yet to try."""
        first = self._held.waiting.first()
        if first is None or not self._failures or self._may_try(load, first):
            return first
        return next((unit for unit in self._held.waiting if self._may_try(load, unit)), None)

    def _may_try(self, load: WorkerLoad, unit: PendingUnit) -> bool:
        workers = self._failures.of(unit.key)
        if load.name not in workers:
            return True
        return not any(other.name not in workers and not other.unresponsive for other in self._loads.values())

    def _should_skip(
        self, load: WorkerLoad, loads: Sequence[WorkerLoad], unit: PendingUnit, finish: FinishEstimate, now: float
    ) -> bool:
        """Whether all others would have finished before this worker ends its next unit, and one of them sooner."""
        own = load.ends_in(now)
        ends = own + load.overhead + unit.seconds / load.speed
        if ends <= finish.ends_in(without=(own, load.speed)):
            return False
        others = (other for other in loads if other is not load and self._may_try(other, unit))
        return any(ends > other.ends_in(now) + other.overhead + unit.seconds / other.speed for other in others)

    def _finish(self, loads: Sequence[WorkerLoad], now: float) -> FinishEstimate:
        if self._estimate is None or self._estimate[0] != now:
            busy = [(load.ends_in(now), load.speed) for load in loads]
            self._estimate = now, FinishEstimate(busy, self._held.waiting.seconds + self.later_seconds)
        return self._estimate[1]

    def _steal(self, loads: Sequence[WorkerLoad], now: float) -> list[Assignment]:
        """For workers without work, fastest first: units of those that would end last."""
        idle = [load for load in loads if not load.batches]
        if not idle:
            return []
        ends = {load: load.ends_in(now) for load in loads if load.batches}
        found = []
        for load in idle:
            assignment = self._steal_for(load, ends, now)
            if assignment:
                found.append(assignment)
            elif not self._failures:
                break  # the others are no faster, and may try the same units
        return found

    def _steal_for(self, load: WorkerLoad, ends: dict[WorkerLoad, float], now: float) -> Assignment | None:
        """A batch of what a busy worker holds, whose end then changes."""
        for other in sorted(ends, key=lambda busy: -ends[busy]):
            if load.overhead >= GAIN * ends[other]:
                return None  # the others end even sooner
            if units := self._stolen(load, other, ends[other], now):
                ends[other] = other.ends_in(now)
                return self._assign(load, units, now)
        return None

    def _stolen(self, load: WorkerLoad, other: WorkerLoad, there: float, now: float) -> list[PendingUnit]:
        """Units from the back of what `other` holds, as long as each ends sooner here than with all who hold it.

        `there` is when `other` ends. The unit that it speaks is copied, the others are moved.
        """
        units = [unit for unit in other.units() if self._may_try(load, unit)]
        ends = load.overhead
        stolen: list[PendingUnit] = []
        for unit in reversed(units):
            ends += unit.seconds / load.speed
            copies = [holder.ends_in(now) for holder in self._held.holders(unit.key) if holder is not other]
            if ends >= GAIN * min([there, *copies]):
                break
            if stolen and (unit.key in self._failures or stolen[0].key in self._failures):
                break
            stolen.append(unit)
            there -= unit.seconds / other.speed
        moved = [unit for unit in stolen if unit.key != other.speaking]
        for unit in moved:
            self._held.take(other, unit)
        self._held.recall(other, [unit.key for unit in moved])
        return stolen[::-1]

    def _assign(self, load: WorkerLoad, units: list[PendingUnit], now: float) -> Assignment:
        self._held.assign(load, units, now)
        self._estimate = None
        return Assignment(worker=load.name, units=tuple(units))
