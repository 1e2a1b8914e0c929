"""Worker processes and the one queue they share. A worker that dies costs at most the text in its hands.

The queue stays in this process and every worker has a pipe of its own: one that is killed at any moment holds no lock
and leaves no half of a message that another could read.
"""

import multiprocessing
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from voxmatrix.errors import (
    Finding,
    MemoryExhaustedError,
    MissingProgramError,
    NoDeviceError,
    NoKernelsError,
    UnreachableError,
    VoxmatrixError,
)
from voxmatrix.files import unfinished
from voxmatrix.speak.batch.messages import (
    Failure,
    JobEnded,
    LettersSpoken,
    Message,
    SpeakJob,
    VoiceOpened,
    WorkerStart,
    WorkerWarning,
    out_of_memory,
)
from voxmatrix.speak.batch.worker import work
from voxmatrix.speak.device import Warn, python_warning
from voxmatrix.speak.output import Speech

#: How often a worker may hold a text when it dies.
DEATHS_A_TEXT = 2
#: How many may die before they have opened the voice, when none is left that has.
DEATHS_AT_THE_START = 3
#: For a worker that is told to end; `docker stop` gives ten seconds in all.
GRACE_SECONDS = 3.0
#: Errors that every further text would meet as well.
_END_ALL = {error.exit_code for error in (NoDeviceError, NoKernelsError, MissingProgramError, UnreachableError)}
_SPAWN = multiprocessing.get_context("spawn")  # the same on every system; after a fork, threads and CUDA are broken

OnResult = Callable[[SpeakJob, Speech | Failure], None]
OnJobLetters = Callable[[SpeakJob, int], None]


@dataclass
class _Worker:
    start: WorkerStart
    process: SpawnProcess
    connection: Connection
    job: SpeakJob | None  # in its hands, or waiting for it to open the voice
    opened: bool = False


class WorkerPool:
    """The workers of one batch. `on_result` is told what became of each text, as they end."""

    def __init__(
        self,
        starts: Sequence[WorkerStart],
        jobs: Sequence[SpeakJob],
        on_result: OnResult,
        on_letters: OnJobLetters,
        warn: Warn = python_warning,
    ) -> None:
        self._starts = starts
        # The longest first: a long one that comes last would keep one worker busy while the others rest.
        self._waiting = deque(sorted(jobs, key=lambda job: -len(job.text)))
        self._on_result = on_result
        self._on_letters = on_letters
        self._warn = warn
        self._warned: set[Finding] = set()
        self._workers: list[_Worker] = []
        self._leaving: list[_Worker] = []
        self._deaths: Counter[int] = Counter()
        self._deaths_at_the_start = 0

    def run(self) -> None:
        """Speak them all. An exception, Ctrl-C for one, ends the workers."""
        try:
            for start in self._starts[: len(self._waiting)]:
                self._hire(start)
            while self._workers:
                ready = wait([worker.connection for worker in self._workers])
                for worker in [worker for worker in self._workers if worker.connection in ready]:
                    self._hear(worker)
        finally:
            self._stop()

    def _hire(self, start: WorkerStart, job: SpeakJob | None = None) -> None:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(start, theirs), daemon=True, name=f"speak {start.device}")
        with _deaf_children():
            process.start()
        theirs.close()  # so that its death is the end of the pipe
        self._workers.append(_Worker(start=start, process=process, connection=ours, job=job))

    def _hear(self, worker: _Worker) -> None:
        message = _received(worker)
        match message:
            case None:
                self._died(worker)
            case LettersSpoken(count=count) if worker.job:
                self._on_letters(worker.job, count)
            case WorkerWarning(finding=finding) if finding not in self._warned:  # several share a device
                self._warned.add(finding)
                self._warn(finding)
            case VoiceOpened():
                worker.opened = True
                self._give(worker, worker.job)
            case JobEnded(result=result) if worker.opened and worker.job:
                self._on_result(worker.job, result)
                if isinstance(result, Failure) and result.exit_code in _END_ALL:
                    self._drop(replace(result, problem=f"not begun, because {result.problem}"))
                self._give(worker, None)
            case JobEnded(result=Failure() as failure):
                self._dismiss(worker)
                self._not_opened(worker, failure, died=False)

    def _give(self, worker: _Worker, job: SpeakJob | None) -> None:
        """A job, else the next of the queue, else the end."""
        worker.job = job or (self._waiting.popleft() if self._waiting else None)
        with suppress(OSError):  # it has died meanwhile: its pipe says so
            worker.connection.send(worker.job)
        if worker.job is None:
            self._dismiss(worker)

    def _died(self, worker: _Worker) -> None:
        """Try its text once more in a fresh worker; the second time it is the text's fault."""
        self._dismiss(worker)
        _end([worker])
        exitcode, job = worker.process.exitcode, worker.job
        if not worker.opened:
            self._not_opened(worker, _killed("a worker that opened the voice", exitcode), died=True)
            return
        assert job is not None  # one without a text was dismissed
        self._deaths[job.index] += 1
        if self._deaths[job.index] < DEATHS_A_TEXT:
            self._hire(worker.start, job)
            return
        self._on_result(job, _killed(f"the worker that spoke it, {DEATHS_A_TEXT} times,", exitcode))
        if self._waiting:
            self._hire(worker.start)

    def _not_opened(self, worker: _Worker, failure: Failure, *, died: bool) -> None:
        """Go on with the others, who may have more memory now; when none is left, try again or give up."""
        if worker.job:
            self._waiting.appendleft(worker.job)
        if self._workers and (died or failure.exit_code == MemoryExhaustedError.exit_code):
            return
        self._deaths_at_the_start += died
        if died and self._deaths_at_the_start < DEATHS_AT_THE_START:
            self._hire(worker.start)
        else:
            self._drop(failure)

    def _drop(self, why: Failure) -> None:
        """Give up what waits."""
        while self._waiting:
            self._on_result(self._waiting.popleft(), why)

    def _dismiss(self, worker: _Worker) -> None:
        """It ends by itself; nobody waits for that now."""
        self._workers.remove(worker)
        self._leaving.append(worker)

    def _stop(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        _end(self._workers + self._leaving)
        for worker in self._workers:  # what was finished in the last moment, and not heard yet
            while message := _received(worker):
                if worker.job and isinstance(message, JobEnded):
                    self._on_result(worker.job, message.result)
        for worker in self._workers + self._leaving:
            worker.connection.close()


def _received(worker: _Worker) -> Message | None:
    """What it says; None when it is dead."""
    try:
        message: Message = worker.connection.recv()
    except (EOFError, OSError):
        return None
    return message


def _end(workers: Sequence[_Worker]) -> None:
    """Wait for processes that are about to end, for a while; nothing half written stays."""
    until = time.monotonic() + GRACE_SECONDS
    for worker in workers:
        worker.process.join(max(0.0, until - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        if worker.job:
            unfinished(worker.job.out, worker.process.pid or 0).unlink(missing_ok=True)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that start meanwhile ignore Ctrl-C from their first moment (not on Windows: a little later)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _killed(who: str, exitcode: int | None) -> Failure:
    if exitcode == -getattr(signal, "SIGKILL", 9):
        return out_of_memory(f"{who} was killed, as a system does that is short of memory")
    how = f"ended with code {exitcode}"
    if exitcode is not None and exitcode < 0:
        with suppress(ValueError):
            how = f"was ended by {signal.Signals(-exitcode).name}"
    remedy = "run the same command again; with --parallel-voices 1 it takes the least memory"
    return Failure(problem=f"{who} {how}", remedy=remedy, exit_code=VoxmatrixError.exit_code)
