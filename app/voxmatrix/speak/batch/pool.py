"""Worker processes that share a queue, which stays in this process. A worker that dies loses at most its current
text."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from voxmatrix.errors import Finding, MemoryExhaustedError
from voxmatrix.models.device import Warn, python_warning
from voxmatrix.speak.batch.messages import (
    CharactersSpoken,
    Failure,
    JobEnded,
    Message,
    SpeakJob,
    VoiceOpened,
    WorkerStart,
    WorkerWarning,
)
from voxmatrix.speak.batch.processes import FATAL_CODES, WorkerProcess, WorkerProcesses, death
from voxmatrix.speak.output import Speech

#: A text fails after this many workers have died while speaking it.
DEATHS_PER_TEXT = 2
#: The batch fails after this many workers have died before opening the voice, if no other worker is left.
DEATHS_AT_START = 3

OnResult = Callable[[SpeakJob, Speech | Failure], None]
OnJobCharacters = Callable[[SpeakJob, int], None]


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
        self._processes = WorkerProcesses()
        self._deaths: Counter[int] = Counter()
        self._deaths_at_start = 0

    def run(self) -> None:
        """Speak all texts. An exception such as KeyboardInterrupt stops the workers."""
        try:
            for start in self._starts[: len(self._waiting)]:
                self._processes.start(start)
            while self._processes.running:
                for worker in self._processes.ready():
                    self._on_message(worker, worker.receive())
        finally:
            for worker, message in self._processes.stop():
                if worker.jobs and isinstance(message, JobEnded):
                    self._on_result(worker.jobs.popleft(), message.result)

    def _on_message(self, worker: WorkerProcess, message: Message | None) -> None:
        match message:
            case None:
                self._on_death(worker)
            case CharactersSpoken(count=count) if worker.jobs:
                self._on_characters(worker.jobs[0], count)
            case WorkerWarning(finding=finding) if finding not in self._warned:  # several share a device
                self._warned.add(finding)
                self._warn(finding)
            case VoiceOpened():
                worker.opened = True
                self._send_job(worker)
            case JobEnded(result=result) if worker.opened and worker.jobs:
                self._on_result(worker.jobs.popleft(), result)
                if isinstance(result, Failure) and result.exit_code in FATAL_CODES:
                    self._fail_queue(replace(result, problem=f"not begun, because {result.problem}"))
                self._send_job(worker)
            case JobEnded(result=Failure() as failure):
                self._processes.retire(worker)
                self._on_open_failure(worker, failure, died=False)

    def _send_job(self, worker: WorkerProcess) -> None:
        """Send its job, or the next one of the queue, or None, which stops the worker."""
        if not worker.jobs and self._waiting:
            worker.jobs.append(self._waiting.popleft())
        worker.send(worker.jobs[0] if worker.jobs else None)
        if not worker.jobs:
            self._processes.retire(worker)

    def _on_death(self, worker: WorkerProcess) -> None:
        """Retry the text in a new worker. If that dies too, the text fails."""
        exitcode = self._processes.bury(worker)
        if not worker.opened:
            self._on_open_failure(worker, death("a worker that opened the voice", exitcode), died=True)
            return
        (job,) = worker.jobs  # workers without a text are retired
        self._deaths[job.index] += 1
        if self._deaths[job.index] < DEATHS_PER_TEXT:
            self._processes.start(worker.start, [job])
            return
        self._on_result(job, death(f"the worker that spoke it, {DEATHS_PER_TEXT} times,", exitcode))
        if self._waiting:
            self._processes.start(worker.start)

    def _on_open_failure(self, worker: WorkerProcess, failure: Failure, *, died: bool) -> None:
        """Continue with the other workers, which may have more memory now. If none is left, retry or fail."""
        self._waiting.extendleft(reversed(worker.jobs))
        worker.jobs.clear()
        if self._processes.running and (died or failure.exit_code == MemoryExhaustedError.exit_code):
            return
        self._deaths_at_start += died
        if died and self._deaths_at_start < DEATHS_AT_START:
            self._processes.start(worker.start)
        else:
            self._fail_queue(failure)

    def _fail_queue(self, failure: Failure) -> None:
        """Fail all texts that are still in the queue."""
        while self._waiting:
            self._on_result(self._waiting.popleft(), failure)
