"""Worker processes, each with its own pipe: one that is killed holds no lock, and leaves no partial message that
another could read."""

import multiprocessing
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from voxmatrix.errors import MissingProgramError, NoDeviceError, NoKernelsError, UnreachableError, VoxmatrixError
from voxmatrix.files import remove_unfinished
from voxmatrix.processes import OUT_OF_MEMORY, describe_exit, ignoring_ctrl_c, join_or_kill
from voxmatrix.speak.batch.messages import Failure, Message, SpeakJob, WorkerStart, out_of_memory
from voxmatrix.speak.batch.worker import work

#: For a worker to exit; `docker stop` allows ten seconds in total.
GRACE_SECONDS = 3.0
#: Exit codes of errors that all other texts would have as well.
FATAL_CODES = {error.exit_code for error in (NoDeviceError, NoKernelsError, MissingProgramError, UnreachableError)}
_SPAWN = multiprocessing.get_context("spawn")  # the same on every system; threads and CUDA do not survive a fork


@dataclass(eq=False)
class WorkerProcess:
    """A worker process and the jobs that were sent to it and have not ended."""

    start: WorkerStart
    process: SpawnProcess
    connection: Connection
    jobs: deque[SpeakJob] = field(default_factory=deque)
    opened: bool = False

    def send(self, job: SpeakJob | None) -> None:
        """Send a job, or None, which ends the process when it has done the others."""
        with suppress(OSError):  # it has died, which the next `receive` tells
            self.connection.send(job)

    def receive(self) -> Message | None:
        """The next message; None if the process has died."""
        try:
            message: Message = self.connection.recv()
        except (EOFError, OSError):
            return None
        return message


class WorkerProcesses:
    """The processes of a batch or of a job. `stop` must be called at the end."""

    def __init__(self) -> None:
        self.running: list[WorkerProcess] = []
        self._exiting: list[WorkerProcess] = []

    def start(self, start: WorkerStart, jobs: Iterable[SpeakJob] = ()) -> WorkerProcess:
        """Start a process; its `jobs` are to be sent when it has opened the voice."""
        ours, theirs = _SPAWN.Pipe()
        process = _SPAWN.Process(target=work, args=(start, theirs), daemon=True, name=f"speak {start.device}")
        with ignoring_ctrl_c():
            process.start()
        theirs.close()  # so that the pipe closes when the worker dies
        worker = WorkerProcess(start=start, process=process, connection=ours, jobs=deque(jobs))
        self.running.append(worker)
        return worker

    def ready(self, timeout_seconds: float | None = None) -> list[WorkerProcess]:
        """Wait for workers that have sent a message or died."""
        connections = wait([worker.connection for worker in self.running], timeout_seconds)
        return [worker for worker in self.running if worker.connection in connections]

    def retire(self, worker: WorkerProcess) -> None:
        """The worker exits by itself, and is joined at the end."""
        self.running.remove(worker)
        self._exiting.append(worker)

    def bury(self, worker: WorkerProcess) -> int | None:
        """The worker has died: return its exit code."""
        self.running.remove(worker)
        _join([worker])
        worker.connection.close()
        return worker.process.exitcode

    def last_messages(self) -> Iterator[tuple[WorkerProcess, Message]]:
        """Tell all processes to exit, and yield what they still send: a text may have been finished just before."""
        for worker in self.running:
            worker.process.terminate()
        until = time.monotonic() + GRACE_SECONDS
        while self.running and (left := until - time.monotonic()) > 0:
            for worker in self.ready(left):
                message = worker.receive()
                if message is None:
                    self.retire(worker)
                else:
                    yield worker, message
        for worker in self.running:
            worker.process.kill()  # `stop` need not wait for as long again

    def stop(self) -> None:
        """End all processes."""
        for worker in self.running:
            worker.process.terminate()
        _join(self.running + self._exiting)
        for worker in self.running + self._exiting:
            worker.connection.close()
        self.running, self._exiting = [], []


def _join(workers: Sequence[WorkerProcess]) -> None:
    """Wait for processes to exit, kill them after a timeout, and remove unfinished files."""
    join_or_kill([worker.process for worker in workers], GRACE_SECONDS)
    for worker in workers:
        for job in worker.jobs:
            remove_unfinished(job.out, worker.process.pid or 0)


def death(worker: str, exitcode: int | None) -> Failure:
    """The failure of what a process was doing when it died."""
    if exitcode == OUT_OF_MEMORY:
        return out_of_memory(f"{worker} was killed, probably because the system is out of memory")
    remedy = "run the same command again, with `parallel_voices=1` to use the least memory"
    return Failure(problem=f"{worker} {describe_exit(exitcode)}", remedy=remedy, exit_code=VoxmatrixError.exit_code)
