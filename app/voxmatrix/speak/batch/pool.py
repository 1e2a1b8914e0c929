"""Worker processes that share a queue. A worker that dies loses at most its current text.

The queue stays in this process, and every worker has its own pipe: a worker that is killed holds no lock, and leaves
no partial message that another worker could read.
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
    CharactersSpoken,
    Failure,
    JobEnded,
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

#: A text fails after this many workers have died while speaking it.
DEATHS_PER_TEXT = 2
#: The batch fails after this many workers have died before opening the voice, if no other worker is left.
DEATHS_AT_START = 3
#: For a worker to exit; `docker stop` allows ten seconds in total.
GRACE_SECONDS = 3.0
#: Errors that all other texts would have as well.
_FATAL = {error.exit_code for error in (NoDeviceError, NoKernelsError, MissingProgramError, UnreachableError)}
_SPAWN = multiprocessing.get_context("spawn")  # the same on every system; threads and CUDA do not survive a fork

OnResult = Callable[[SpeakJob, Speech | Failure], None]
OnJobCharacters = Callable[[SpeakJob, int], None]


@dataclass
class _Worker:
    start: WorkerStart
    process: SpawnProcess
    connection: Connection
    job: SpeakJob | None  # being spoken, or waiting for the voice to be opened
    opened: bool = False


class WorkerPool:
    """The workers of a batch. `on_result` is called with the result of each text, in the order in which they end."""

    def __init__(
        self,
        starts: Sequence[WorkerStart],
        jobs: Sequence[SpeakJob],
        on_result: OnResult,
        on_characters: OnJobCharacters,
        warn: Warn = python_warning,
    ) -> None:
        self._starts = starts
        # Longest first: a long text at the end would keep one worker busy while the others are idle.
        self._waiting = deque(sorted(jobs, key=lambda job: -len(job.text)))
        self._on_result = on_result
        self._on_characters = on_characters
        self._warn = warn
        self._warned: set[Finding] = set()
        self._workers: list[_Worker] = []
        self._exiting: list[_Worker] = []
        self._deaths: Counter[int] = Counter()
        self._deaths_at_start = 0

    def run(self) -> None:
        """Speak all texts. An exception such as KeyboardInterrupt stops the workers."""
        try:
            for start in self._starts[: len(self._waiting)]:
                self._start(start)
            while self._workers:
                ready = wait([worker.connection for worker in self._workers])
                for worker in [worker for worker in self._workers if worker.connection in ready]:
                    self._receive(worker)
        finally:
            self._stop()

    def _start(self, start: WorkerStart, job: SpeakJob | None = None) -> None:
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(start, theirs), daemon=True, name=f"speak {start.device}")
        with _ignoring_ctrl_c():
            process.start()
        theirs.close()  # so that the pipe closes when the worker dies
        self._workers.append(_Worker(start=start, process=process, connection=ours, job=job))

    def _receive(self, worker: _Worker) -> None:
        message = _next_message(worker)
        match message:
            case None:
                self._on_death(worker)
            case CharactersSpoken(count=count) if worker.job:
                self._on_characters(worker.job, count)
            case WorkerWarning(finding=finding) if finding not in self._warned:  # several share a device
                self._warned.add(finding)
                self._warn(finding)
            case VoiceOpened():
                worker.opened = True
                self._send_job(worker, worker.job)
            case JobEnded(result=result) if worker.opened and worker.job:
                self._on_result(worker.job, result)
                if isinstance(result, Failure) and result.exit_code in _FATAL:
                    self._fail_queue(replace(result, problem=f"not begun, because {result.problem}"))
                self._send_job(worker, None)
            case JobEnded(result=Failure() as failure):
                self._retire(worker)
                self._on_open_failure(worker, failure, died=False)

    def _send_job(self, worker: _Worker, job: SpeakJob | None) -> None:
        """Send a job, or the next one of the queue, or None, which stops the worker."""
        worker.job = job or (self._waiting.popleft() if self._waiting else None)
        with suppress(OSError):  # the worker has died, which `_receive` will notice
            worker.connection.send(worker.job)
        if worker.job is None:
            self._retire(worker)

    def _on_death(self, worker: _Worker) -> None:
        """Retry the text in a new worker. If that dies too, the text fails."""
        self._retire(worker)
        _join([worker])
        exitcode, job = worker.process.exitcode, worker.job
        if not worker.opened:
            self._on_open_failure(worker, _death("a worker that opened the voice", exitcode), died=True)
            return
        assert job is not None  # workers without a text are retired
        self._deaths[job.index] += 1
        if self._deaths[job.index] < DEATHS_PER_TEXT:
            self._start(worker.start, job)
            return
        self._on_result(job, _death(f"the worker that spoke it, {DEATHS_PER_TEXT} times,", exitcode))
        if self._waiting:
            self._start(worker.start)

    def _on_open_failure(self, worker: _Worker, failure: Failure, *, died: bool) -> None:
        """Continue with the other workers, which may have more memory now. If none is left, retry or fail."""
        if worker.job:
            self._waiting.appendleft(worker.job)
        if self._workers and (died or failure.exit_code == MemoryExhaustedError.exit_code):
            return
        self._deaths_at_start += died
        if died and self._deaths_at_start < DEATHS_AT_START:
            self._start(worker.start)
        else:
            self._fail_queue(failure)

    def _fail_queue(self, failure: Failure) -> None:
        """Fail all texts that are still in the queue."""
        while self._waiting:
            self._on_result(self._waiting.popleft(), failure)

    def _retire(self, worker: _Worker) -> None:
        """The worker exits by itself, and is joined at the end."""
        self._workers.remove(worker)
        self._exiting.append(worker)

    def _stop(self) -> None:
        for worker in self._workers:
            worker.process.terminate()
        _join(self._workers + self._exiting)
        for worker in self._workers:  # results that were sent but not received
            while message := _next_message(worker):
                if worker.job and isinstance(message, JobEnded):
                    self._on_result(worker.job, message.result)
        for worker in self._workers + self._exiting:
            worker.connection.close()


def _next_message(worker: _Worker) -> Message | None:
    """The next message, or None if the worker is dead."""
    try:
        message: Message = worker.connection.recv()
    except (EOFError, OSError):
        return None
    return message


def _join(workers: Sequence[_Worker]) -> None:
    """Wait for processes to exit, kill them after a timeout, and remove unfinished files."""
    until = time.monotonic() + GRACE_SECONDS
    for worker in workers:
        worker.process.join(max(0.0, until - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        if worker.job:
            unfinished(worker.job.out, worker.process.pid or 0).unlink(missing_ok=True)


@contextmanager
def _ignoring_ctrl_c() -> Iterator[None]:
    """Processes started in the block ignore Ctrl-C from the beginning (on Windows: a little later)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _death(worker: str, exitcode: int | None) -> Failure:
    if exitcode == -getattr(signal, "SIGKILL", 9):
        return out_of_memory(f"{worker} was killed, probably because the system is out of memory")
    how = f"exited with code {exitcode}"
    if exitcode is not None and exitcode < 0:
        with suppress(ValueError):
            how = f"was terminated by {signal.Signals(-exitcode).name}"
    remedy = "run the same command again, with --parallel-voices 1 to use the least memory"
    return Failure(problem=f"{worker} {how}", remedy=remedy, exit_code=VoxmatrixError.exit_code)
