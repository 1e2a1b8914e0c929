"""Run queued jobs, one per lane at a time, each watched by a thread."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from voxmatrix.child_environment import for_voxmatrix
from voxmatrix.config import MESSAGES_VARIABLE
from voxmatrix.errors import Finding, VoxmatrixError
from voxmatrix.serve.errors import explanation
from voxmatrix.serve.jobs.job import Job
from voxmatrix.serve.jobs.process import JobProcess, error_of_command, error_of_server, result_of
from voxmatrix.serve.jobs.store import JobStore
from voxmatrix.serve.jobs.uploads import unpack_recordings
from voxmatrix.serve.log import Log, log_finding

_RETRY_SECONDS = 2.0
_CLUSTER = "VOXMATRIX_CLUSTER"
#: Lines of a command that say how far it is, and lines that are kept as events.
_PROGRESS, _METRICS = "progress", "metrics"


@dataclass(eq=False)
class _Running:
    job: Job
    stopped_for: Literal["cancelled", "queued"] | None = None
    process: JobProcess | None = None
    stopping: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def stop(self, state: Literal["cancelled", "queued"]) -> None:
        """End the command; the job is in this state then."""
        with self.lock:
            self.stopped_for = self.stopped_for or state
            self.stopping.set()
            if self.process is not None:
                self.process.stop()

    def attach(self, start: Callable[[], JobProcess]) -> JobProcess | None:
        """Start the process, unless the job was stopped."""
        with self.lock:
            if not self.stopping.is_set():
                self.process = start()
            return self.process


class Runner:
    """Starts jobs when their turn has come."""

    def __init__(self, store: JobStore, folder_of: Callable[[str], Path], cluster: str, log: Log) -> None:
        self._store, self._folder_of, self._cluster, self._log = store, folder_of, cluster, log
        self._lock = threading.Lock()
        self._running: dict[str, tuple[_Running, threading.Thread]] = {}
        self._closing = threading.Event()

    def schedule(self) -> None:
        """Start every job whose lane is free. What prevents that is logged; the jobs wait until it is called again."""
        try:
            self._start_queued()
        except VoxmatrixError as error:
            log_finding(self._log, Finding(problem=error.problem, remedy=error.remedy, severity="warning"))

    def _start_queued(self) -> None:
        with self._lock:
            if self._closing.is_set():
                return
            busy = {running.job.work.lane for running, _ in self._running.values()}
            for job in self._store.in_state("queued"):
                if job.work.lane in busy or job.id in self._running or not self._store.start(job.id):
                    continue
                busy.add(job.work.lane)
                running = _Running(job)
                thread = threading.Thread(target=self._run, args=[running], name=f"job-{job.id}")
                self._running[job.id] = running, thread
                thread.start()

    def cancel(self, job: str) -> None:
        """End a job; one that waits is not started."""
        with self._lock:
            found = self._running.get(job)
            if found is None:
                self._store.end(job, "cancelled")
        if found is not None:
            found[0].stop("cancelled")

    def close(self) -> None:
        """End the commands; their jobs continue when the next server starts."""
        self._closing.set()
        with self._lock:
            all_running = list(self._running.values())
        for running, _ in all_running:
            running.stop("queued")
        for _, thread in all_running:
            thread.join()

    def _run(self, running: _Running) -> None:
        try:
            try:
                end = self._command(running)
            except Exception as error:
                if not isinstance(error, VoxmatrixError):
                    self._log("error", {"job": running.job.id, "problem": explanation(error)})
                failed = error_of_server(error, self._folder_of(running.job.id))
                end = self._ending(running, lambda: self._store.end(running.job.id, "failed", error=failed))
            self._record(end)
        finally:
            with self._lock:
                del self._running[running.job.id]
            self.schedule()

    def _command(self, running: _Running) -> Callable[[], Any]:
        """Run the command, and return the function that records how it ended."""
        job, folder = running.job, self._folder_of(running.job.id)
        if job.work.unpack is not None:
            unpack_recordings(folder / job.work.unpack, folder / "data", running.stopping.is_set)
        variables = for_voxmatrix(hub=job.work.lane == "download", cluster=job.work.cluster)
        variables[MESSAGES_VARIABLE] = "plain"  # who reads them has typed no flags
        if job.work.cluster:
            variables[_CLUSTER] = self._cluster
        process = running.attach(lambda: JobProcess(job.work.words, folder, variables))
        if process is None:
            return self._ending(running, lambda: None)
        answer: dict[str, Any] = {}
        progress = job.progress
        for line in process.objects():
            if not line.keys() & {_PROGRESS, _METRICS}:
                answer = line
            else:
                progress = self._progressed(job, progress, line)
        code = process.wait()
        result = result_of(job, answer, folder)
        if code == 0:
            return lambda: self._store.end(job.id, "done", result=result)
        error = error_of_command(code, answer, folder)
        return self._ending(running, lambda: self._store.end(job.id, "failed", error=error, result=result))

    def _ending(self, running: _Running, failed: Callable[[], Any]) -> Callable[[], Any]:
        """How to record the end of a command that did not succeed."""
        match running.stopped_for:
            case "cancelled":
                return lambda: self._store.end(running.job.id, "cancelled")
            case "queued":
                return lambda: self._store.queue_again(running.job.id, ["running"])
            case None:
                return failed

    def _progressed(self, job: Job, before: float, line: dict[str, Any]) -> float:
        """Keep what a line says, and return the progress of the job."""
        try:
            if _METRICS in line:
                self._store.add_event(job.id, _METRICS, line[_METRICS])
                return before
            facts = line[_PROGRESS]
            measured = facts["key"] == job.work.measure and facts["total"] > 0
            now = min(1.0, facts["done"] / facts["total"]) if measured else before
            self._store.progressed(job.id, round(now, 4), facts["seconds_left"] if measured else None, facts)
            return now
        except VoxmatrixError:
            return before  # the disk is full, which the command itself will say

    def _record(self, end: Callable[[], Any]) -> None:
        """Record the end of a job, as soon as that can be written."""
        while True:
            try:
                end()
                return
            except VoxmatrixError as error:
                self._log("error", {"problem": explanation(error)})
                if self._closing.wait(_RETRY_SECONDS):
                    return
