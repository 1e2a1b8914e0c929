"""Drive a job: give units to workers, file what they deliver, try again what failed, and name what was given up."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from voxmatrix.errors import Finding, InterruptedRunError
from voxmatrix.speak.batch.messages import Failure, error_of
from voxmatrix.speak.batch.processes import FATAL_CODES
from voxmatrix.work.delivery import Delivery
from voxmatrix.work.estimate import CHARACTERS_PER_SECOND, estimated_seconds
from voxmatrix.work.executor import Executor, UnitFailed, UnitSpoken, WorkerJoined, WorkerLeft, WorkEvent
from voxmatrix.work.ledger import GivenUp, Ledger
from voxmatrix.work.scheduler import Decision, Scheduler
from voxmatrix.work.unit import Unit
from voxmatrix.work.worker_load import PendingUnit

#: Units that are read from the ledger ahead of the workers, in total and for each worker.
_AHEAD, _AHEAD_PER_WORKER = 1000, 20
_TICK_SECONDS = 0.25
#: Deliveries are recorded together, because every transaction is flushed to the disk.
_RECORD_SECONDS = 0.1
#: Rounds of events that are handled before the next decision.
_ROUNDS = 20
#: A worker that owes results and says nothing for this long is replaced.
SILENT_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class JobProgress:
    """How far a job is."""

    done: int  # units, including those of earlier runs
    given_up: int
    total: int
    audio_seconds: float
    seconds_left: float | None  # None: not known, there are no workers
    speeds: dict[str, float]  # of every worker, in seconds of audio per second


@dataclass(frozen=True, kw_only=True)
class JobOutcome:
    """How a job ended. It is complete if nothing was given up."""

    spoken: int  # units in this run
    known: int  # units that the ledger had already
    given_up: tuple[GivenUp, ...]
    findings: tuple[Finding, ...]  # damage, and what was left out of units


OnJobProgress = Callable[[JobProgress], None]


def run_job(
    ledger: Ledger, units: Iterable[Unit], executor: Executor, on_progress: OnJobProgress | None = None
) -> JobOutcome:
    """Speak all units that the ledger does not have yet. Equal units are spoken once.

    Whatever ends the job, the ledger keeps what was delivered, and the same call continues.

    Raises:
        InterruptedRunError: Ctrl-C or SIGTERM.
        UnreachableError: the disk is full.
        VoxmatrixError: no worker is left, or a failure that all other units would have as well.
    """
    ledger.want(units)
    job = _Job(ledger, executor, on_progress)
    try:
        job.run()
    except KeyboardInterrupt as error:
        state = ledger.state()
        raise InterruptedRunError(
            f"interrupted; {state.done} of {state.wanted} sentences are kept in {ledger.folder}",
            "run the same command again to continue",
        ) from error
    return job.outcome()


def carry_out(decision: Decision, executor: Executor, units: Mapping[str, Unit]) -> None:
    """Tell the workers what the scheduler has decided; `units` are those that are not done, by key."""
    for worker, keys in decision.recalls:
        executor.cancel(worker, keys)
    for assignment in decision.assignments:
        executor.submit(assignment.worker, [units[unit.key] for unit in assignment.units])


class _Job:
    def __init__(self, ledger: Ledger, executor: Executor, on_progress: OnJobProgress | None) -> None:
        self._ledger = ledger
        self._executor = executor
        self._on_progress = on_progress
        self._scheduler = Scheduler(executor.overhead_seconds)
        self._guesses = ledger.speeds()
        self._held: dict[str, tuple[str, ...]] = {}  # what workers may have spoken that left without a failure
        self._units: dict[str, Unit] = {}  # read from the ledger, and neither done nor given up
        self._place = 0  # of the last unit that was read
        self._all_read = False
        state = ledger.state()
        self._known = self._done = state.done
        self._wanted, self._audio_seconds, self._characters_left = (
            state.wanted,
            state.audio_seconds,
            state.characters_left,
        )
        self._given_up = 0
        self._estimated = self._measured = 0.0  # seconds of audio in this run
        self._delivered: list[Delivery] = []
        self._failures: list[tuple[str, str, str]] = []
        self._findings: dict[Finding, None] = {}
        self._reported = self._recorded = 0.0

    def run(self) -> None:
        """Until every wanted unit is delivered or given up."""
        self._read()
        try:
            while self._units:
                self._submit(time.monotonic())
                self._receive()
                now = time.monotonic()
                if now - self._recorded > _RECORD_SECONDS:
                    self._record(now)
                self._read()
                self._report(now)
        finally:
            self._record(time.monotonic())
        self._report(None)

    def outcome(self) -> JobOutcome:
        """The result of `run`."""
        return JobOutcome(
            spoken=self._done - self._known,
            known=self._known,
            given_up=tuple(self._ledger.given_up()),
            findings=(*self._ledger.findings, *self._findings),
        )

    def _read(self) -> None:
        """Keep the queue of the scheduler filled: a job may have more units than should be in memory."""
        limit = _AHEAD + _AHEAD_PER_WORKER * len(self._scheduler.speeds())
        if self._all_read or self._scheduler.waiting > limit // 2:
            return
        found = self._ledger.pending(limit, self._place)
        for place, unit in found:
            self._place = place
            self._units[unit.key] = unit
            self._characters_left -= len(unit.text)
        self._scheduler.add(PendingUnit(unit.key, estimated_seconds(unit.text)) for _, unit in found)
        self._all_read = len(found) < limit
        later = max(0, self._characters_left) / CHARACTERS_PER_SECOND
        self._scheduler.later_seconds = 0.0 if self._all_read else later

    def _submit(self, now: float) -> None:
        for worker in self._scheduler.silent(now, SILENT_SECONDS):
            failure = Failure(problem=f"{worker} was silent for {SILENT_SECONDS:.0f} s", remedy="", exit_code=1)
            self._executor.replace(worker, failure)
        carry_out(self._scheduler.decide(now), self._executor, self._units)

    def _receive(self) -> None:
        """Handle what has happened, and what happens meanwhile."""
        timeout_seconds = _TICK_SECONDS
        for _ in range(_ROUNDS):
            events = self._executor.results(timeout_seconds)
            for event in events:
                self._on_event(event, time.monotonic())
            if not (events and self._units):
                return
            timeout_seconds = 0.0

    def _on_event(self, event: WorkEvent, now: float) -> None:
        match event:
            case WorkerJoined(worker=worker, speed=speed, failure=failure):
                possible_causes = self._held.pop(worker, ())
                if failure:
                    self._on_death(worker, possible_causes, failure, now)
                self._scheduler.joined(worker, now, speed or self._guesses.get(worker))
            case WorkerLeft(worker=worker, failure=failure, possible_causes=possible_causes):
                if failure:
                    self._on_death(worker, possible_causes, failure, now)
                self._held[worker] = () if failure else possible_causes
                self._scheduler.left(worker)
            case UnitSpoken():
                self._on_spoken(event, now)
            case UnitFailed(worker=worker, key=key, failure=failure):
                self._on_failure(worker, key, failure, now)
                if failure.exit_code in FATAL_CODES:
                    raise error_of(failure)

    def _on_death(self, worker: str, possible_causes: tuple[str, ...], failure: Failure, now: float) -> None:
        """A worker has died, maybe of the unit that it spoke."""
        if possible_causes:
            self._on_failure(worker, possible_causes[0], failure, now, confirmed=len(possible_causes) == 1)

    def _on_spoken(self, event: UnitSpoken, now: float) -> None:
        unit = self._units.get(event.key)
        if not self._scheduler.delivered(event.worker, event.key, event.wall_seconds, now) or unit is None:
            event.path.unlink(missing_ok=True)  # another was faster
            return
        delivery = Delivery(
            key=event.key,
            sha256=self._ledger.file(event.path, event.key),
            samples=event.samples,
            rate_hz=event.rate_hz,
            worker=event.worker,
            wall_seconds=event.wall_seconds,
            findings=event.findings,
            computed=event.computed,
        )
        self._delivered.append(delivery)
        self._findings |= dict.fromkeys(event.findings)
        del self._units[event.key]
        self._estimated += estimated_seconds(unit.text)
        self._measured += delivery.seconds

    def _on_failure(self, worker: str, key: str, failure: Failure, now: float, *, confirmed: bool = True) -> None:
        self._failures.append((key, worker, failure.problem))
        if self._scheduler.failed(worker, key, now, confirmed=confirmed):
            self._given_up += 1
            self._ledger.give_up(key, failure.problem)
            del self._units[key]

    def _record(self, now: float) -> None:
        self._recorded = now
        if self._delivered or self._failures:
            self._ledger.record(self._delivered, self._failures)
        self._done += len(self._delivered)
        self._audio_seconds += sum(delivery.seconds for delivery in self._delivered)
        self._delivered, self._failures = [], []

    def _report(self, now: float | None) -> None:
        """Tell how far the job is, if it was not told just now. None: at the end."""
        if self._on_progress is None or (now is not None and now - self._reported < _TICK_SECONDS):
            return
        self._reported = now or 0.0
        # The scheduler knows estimated durations only.
        ratio = self._measured / self._estimated if self._estimated else 1.0
        progress = JobProgress(
            done=self._done,
            given_up=self._given_up,
            total=self._wanted,
            audio_seconds=self._audio_seconds,
            seconds_left=0.0 if now is None else self._scheduler.seconds_left(now),
            speeds={worker: speed * ratio for worker, speed in self._scheduler.speeds().items()},
        )
        self._on_progress(progress)
