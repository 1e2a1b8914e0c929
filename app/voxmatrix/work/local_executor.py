"""Worker processes on this computer, which are given units one after the other."""

import tempfile
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from pathlib import Path

from voxmatrix.closing import Closeable
from voxmatrix.errors import Finding, MemoryExhaustedError, VoxmatrixError
from voxmatrix.machine.probes.limits import cpus
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn, python_warning
from voxmatrix.models.style import Runtime, Style
from voxmatrix.processes import delaying_signals
from voxmatrix.speak.batch.messages import (
    CharactersSpoken,
    Failure,
    JobEnded,
    Message,
    Opening,
    SpeakJob,
    VoiceOpened,
    WorkerStart,
    WorkerWarning,
    error_of,
)
from voxmatrix.speak.batch.processes import WorkerProcess, WorkerProcesses, death
from voxmatrix.speak.batch.worker import opened_voice
from voxmatrix.speak.output import Speech
from voxmatrix.work.executor import UnitFailed, UnitProgress, UnitSpoken, WorkerJoined, WorkerLeft, WorkEvent
from voxmatrix.work.unit import Unit

#: Units in the pipe of a worker beside those that it speaks, so that it never waits for this process.
_NEXT = 1
#: Units that a worker speaks at once on a GPU, which computes them in batches.
_AT_ONCE_ON_GPU = 16
#: The job ends when this many workers in a row have died without a result in between.
DEATHS_IN_A_ROW = 10
#: The job ends when this many workers have died before opening the voice, if no other worker is left.
DEATHS_AT_START = 3


@dataclass(eq=False)
class _LocalWorker:
    name: str
    start: WorkerStart
    process: WorkerProcess | None = None  # None: it cannot be started any more
    queue: deque[Unit] = field(default_factory=deque)
    sent: deque[str] = field(default_factory=deque)  # the keys of the jobs of the process
    since: float = 0.0  # the last result, or the submission to an idle worker
    failure: Failure | None = None  # why its process was killed


class LocalExecutor(Closeable):
    """Some worker processes with one voice. Used with `with`, which ends them."""

    overhead_seconds = 0.01

    def __init__(
        self,
        voice: VoiceCard,
        style: Style,
        incoming: Path,
        runtime: Runtime,
        *,
        workers: int,
        devices: Sequence[SpeakDevice] = (CPU,),
        warn: Warn = python_warning,
        opening: Opening = opened_voice,
    ) -> None:
        """Finished files are left in the folder `incoming`. `runtime` is that of each worker; they share all CPUs.

        An error of `style` ends the job before anything is spoken.
        """
        self._incoming, self._warn = incoming, warn
        self._warned: set[Finding] = set()
        runtime = replace(runtime, threads=runtime.threads or max(1, cpus() // max(1, workers)))
        self._scratch = tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True)
        starts = [
            WorkerStart(
                voice=voice,
                style=style,
                runtime=runtime,
                scratch=Path(self._scratch.name),
                opening=opening,
                device=device,
                at_once=_AT_ONCE_ON_GPU if device.in_batches else 1,
            )
            for device in islice(cycle(devices), max(1, workers))
        ]
        self._processes = WorkerProcesses()
        self._workers = [
            _LocalWorker(f"{_device_name(start.device)}-{n}", start) for n, start in enumerate(starts, start=1)
        ]
        self._events: list[WorkEvent] = []
        self._failed: VoxmatrixError | None = None
        self._deaths_at_start = self._deaths_in_a_row = 0
        for worker in self._workers:
            worker.process = self._processes.start(worker.start)

    def submit(self, worker: str, units: Sequence[Unit]) -> None:
        """Queue a batch for a worker."""
        found = self._named(worker)
        if found.process is None:
            return
        if not found.process.jobs and not found.queue:
            found.since = time.monotonic()
        found.queue.extend(units)
        self._send(found, found.process)

    def results(self, timeout_seconds: float) -> list[WorkEvent]:
        """What has happened since the last call.

        Raises:
            VoxmatrixError: no worker is left.
        """
        self._receive(0.0 if self._events else timeout_seconds)
        if self._failed and not self._events:
            raise self._failed
        events, self._events = self._events, []
        return events

    def cancel(self, worker: str, keys: Sequence[str]) -> None:
        """Remove units from the queue of a worker; those that were sent to it are spoken."""
        found, unwanted = self._named(worker), set(keys)
        found.queue = deque(unit for unit in found.queue if unit.key not in unwanted)

    def replace(self, worker: str, failure: Failure) -> None:
        """Kill a process; its death is an event, and another one is started."""
        found = self._named(worker)
        if found.process is not None:
            found.failure = failure
            found.process.process.kill()

    def last_results(self) -> list[WorkEvent]:
        """End all processes, and return what has happened until then."""
        for process, message in self._processes.last_messages():
            if isinstance(message, JobEnded) and message.out is not None:
                self._on_message(self._of(process), process, message)
        events, self._events = self._events, []
        return events

    def close(self) -> None:
        """End all processes."""
        self._processes.stop()  # what was not recorded is spoken again
        self._scratch.cleanup()

    def _of(self, process: WorkerProcess) -> _LocalWorker:
        return next(worker for worker in self._workers if worker.process is process)

    def _named(self, name: str) -> _LocalWorker:
        return next(worker for worker in self._workers if worker.name == name)

    def _send(self, worker: _LocalWorker, process: WorkerProcess) -> None:
        while worker.queue and process.opened and len(process.jobs) < worker.start.at_once + _NEXT:
            unit = worker.queue.popleft()
            job = unit.job(self._incoming / f"{worker.name}-{unit.key}.wav")
            process.jobs.append(job)
            worker.sent.append(unit.key)
            process.send(job)

    def _receive(self, timeout_seconds: float) -> None:
        """Turn the messages of all workers into events."""
        for process in self._processes.ready(timeout_seconds):
            worker = self._of(process)
            with delaying_signals():  # a message is read once
                self._on_message(worker, process, process.receive())
            self._send(worker, process)  # waits while the pipe is full

    def _on_message(self, worker: _LocalWorker, process: WorkerProcess, message: Message | None) -> None:
        match message:
            case None:
                self._on_death(worker, process)
            case WorkerWarning(finding=finding) if finding not in self._warned:
                self._warned.add(finding)
                self._warn(finding)
            case VoiceOpened():
                process.opened = True
                self._events.append(WorkerJoined(worker=worker.name, at_once=worker.start.at_once))
            case CharactersSpoken(out=out, count=count):
                self._events.append(UnitProgress(key=worker.sent[_place(process, out)], characters=count))
            case JobEnded(result=result, out=Path() as out):
                place = _place(process, out)
                job, key = process.jobs[place], worker.sent[place]
                del process.jobs[place], worker.sent[place]
                self._events.append(self._ended(worker, job, key, result))
            case JobEnded(result=Failure() as failure):
                self._processes.retire(process)
                self._on_open_failure(worker, failure, died=False)

    def _ended(self, worker: _LocalWorker, job: SpeakJob, key: str, result: Speech | Failure) -> WorkEvent:
        now = time.monotonic()
        taken, worker.since = now - worker.since, now
        self._deaths_in_a_row = 0
        if isinstance(result, Failure):
            return UnitFailed(worker=worker.name, key=key, failure=result)
        return UnitSpoken(
            worker=worker.name,
            key=key,
            path=job.out,
            wall_seconds=taken,
            samples=round(result.seconds * result.rate_hz),
            rate_hz=result.rate_hz,
            sentences=result.sentences,
            findings=result.findings,
            computed=result.computed,
            captions=result.captions,
        )

    def _on_death(self, worker: _LocalWorker, process: WorkerProcess) -> None:
        """Start another process of the same name."""
        exitcode = self._processes.bury(process)
        if not process.opened:
            self._on_open_failure(worker, death("a worker that opened the voice", exitcode), died=True)
            return
        failure, worker.failure = worker.failure or death("the worker that spoke it", exitcode), None
        spoken = tuple(worker.sent)[: worker.start.at_once]
        self._events.append(WorkerLeft(worker=worker.name, failure=failure, possible_causes=spoken))
        worker.queue.clear()
        worker.sent.clear()
        self._deaths_in_a_row += 1
        if self._deaths_in_a_row < DEATHS_IN_A_ROW:
            worker.process = self._processes.start(worker.start)
        else:
            self._give_up(worker, replace(failure, problem=f"{DEATHS_IN_A_ROW} times in a row, {failure.problem}"))

    def _on_open_failure(self, worker: _LocalWorker, failure: Failure, *, died: bool) -> None:
        """Continue with the other workers, which may have more memory now. If none is left, try again or give up."""
        worker.process = None
        if self._processes.running and (died or failure.exit_code == MemoryExhaustedError.exit_code):
            return
        self._deaths_at_start += died
        if died and self._deaths_at_start < DEATHS_AT_START:
            worker.process = self._processes.start(worker.start)
        else:
            self._give_up(worker, failure)

    def _give_up(self, worker: _LocalWorker, failure: Failure) -> None:
        worker.process = None
        self._failed = error_of(failure)


def _place(process: WorkerProcess, out: Path) -> int:
    """Of the job with this file among those of the process."""
    return next(place for place, job in enumerate(process.jobs) if job.out == out)


def _device_name(device: SpeakDevice) -> str:
    return "cpu" if device.on is None else device.on.gpu.device.replace(":", "")
