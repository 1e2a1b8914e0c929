"""The jobs of a server: asked for, run, looked at, removed."""

import shutil
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Annotated
from uuid import uuid4

from pydantic import Field

from voxmatrix.config import home
from voxmatrix.database import LockedError
from voxmatrix.errors import Finding, UsageError, VoxmatrixError
from voxmatrix.files import read_text_or_empty, storage_errors
from voxmatrix.lock import locked
from voxmatrix.serve.catalogue import Catalogue
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.jobs.job import RESUMABLE, STATES, Event, Job, State
from voxmatrix.serve.jobs.kinds.benchmark import BenchmarkJobRequest
from voxmatrix.serve.jobs.kinds.book import BookJobRequest
from voxmatrix.serve.jobs.kinds.distil import DistilJobRequest
from voxmatrix.serve.jobs.kinds.download import DownloadJobRequest
from voxmatrix.serve.jobs.kinds.export import ExportJobRequest
from voxmatrix.serve.jobs.kinds.kind import Sources
from voxmatrix.serve.jobs.kinds.recordings import PrepareJobRequest
from voxmatrix.serve.jobs.kinds.segment import SegmentJobRequest
from voxmatrix.serve.jobs.kinds.speech import SpeechJobRequest
from voxmatrix.serve.jobs.kinds.train import TrainJobRequest
from voxmatrix.serve.jobs.process import LOG_NAME
from voxmatrix.serve.jobs.runner import Runner
from voxmatrix.serve.jobs.store import JobStore
from voxmatrix.serve.jobs.uploads import Uploads
from voxmatrix.serve.log import Log, log_finding
from voxmatrix.serve.settings import ServeSettings
from voxmatrix.speak.output import unfinished
from voxmatrix.wording import pluralise

AnyJobRequest = Annotated[
    SpeechJobRequest
    | BookJobRequest
    | TrainJobRequest
    | PrepareJobRequest
    | SegmentJobRequest
    | DistilJobRequest
    | ExportJobRequest
    | BenchmarkJobRequest
    | DownloadJobRequest,
    Field(discriminator="kind"),
]


#: Jobs that wait. More would be a mistake of a program.
MAX_WAITING = 100
_RETRY_AFTER = {"Retry-After": "60"}


#: Why a server has no jobs, unless it is an error of a file.
STARTING = Finding(problem="it is starting", remedy="wait a moment", severity="warning")
_ANOTHERS = Finding(
    problem="another server runs the jobs of this VOXMATRIX_HOME",
    remedy="stop that one, and this one runs them; or set VOXMATRIX_HOME to another folder",
    severity="warning",
)


class Jobs:
    """All jobs of this computer. One server at a time has them; others answer 503, and take over."""

    def __init__(
        self,
        catalogue: Catalogue,
        log: Log,
        settings: ServeSettings,
        *,
        automatic_device: Callable[[], str] = lambda: "cpu",
    ) -> None:
        """Nothing is opened or started yet."""
        self._root = home().absolute() / "jobs" / "server"
        self._log = log
        self.uploads = Uploads(self._root / "uploads")
        self.sources = Sources(
            catalogue=catalogue,
            uploads=self.uploads,
            job=lambda job: (self.get(job), self.folder(job)),
            automatic_device=automatic_device,
            settings=settings,
        )
        self._cluster = settings.cluster
        self._submitting = threading.Lock()
        self._opened = ExitStack()
        self._store: JobStore | None = None
        self._runner: Runner | None = None
        #: Why there is neither.
        self.absent: Finding | None = STARTING
        #: Streams of events end soon after.
        self.closing = threading.Event()

    def open(self) -> None:
        """Continue with the jobs of the last server. What prevents that is logged, and jobs are answered with 503."""
        try:
            self._opened.enter_context(locked(self._root, "server", "stop it"))
            store = self._opened.enter_context(JobStore(self._root / "jobs.sqlite"))
            self._restore(store)
            store.recover()
            self.uploads.tidy()
        except VoxmatrixError as error:
            self._opened.close()
            absent = Finding(problem=error.problem, remedy=error.remedy, severity="warning")
            if isinstance(error, UsageError):
                absent = _ANOTHERS
            elif isinstance(error, LockedError):
                absent = replace(absent, remedy="close it, e.g. a database viewer or a backup; the server tries again")
            if absent != self.absent:  # it is tried again and again
                problem = f"{absent.problem}; this server runs no jobs"
                log_finding(self._log, replace(absent, problem=problem))
            self.absent = absent
            return
        self._store, self.absent = store, None
        self._runner = Runner(store, self.folder, self._cluster, self._log)
        self._runner.schedule()

    def tidy(self) -> None:
        """Remove old uploads, and try again what failed: to open the jobs, or to start those that wait."""
        if self._runner is None:
            self.open()
            return
        try:
            self.uploads.tidy()
            self._runner.schedule()
        except VoxmatrixError as error:
            log_finding(self._log, Finding(problem=error.problem, remedy=error.remedy, severity="warning"))

    def _restore(self, store: JobStore) -> None:
        """List the jobs again that a damaged list has lost, and log it."""
        restored, unknown = store.restore()
        if store.damaged is not None or restored:
            what = f"was damaged and is now {store.damaged.name}" if store.damaged else "was incomplete"
            problem = f"the list of jobs {what}; {pluralise(restored, 'job')} are listed again from their folders"
            remedy = f"check that all are there, then remove {store.damaged}" if store.damaged else ""
            log_finding(self._log, Finding(problem=problem, remedy=remedy, severity="warning"))
        for folder in unknown:
            problem = f"{folder} belongs to a job that is not listed, and does not say to which"
            log_finding(self._log, Finding(problem=problem, remedy="keep its files, or remove it", severity="warning"))

    def close(self) -> None:
        """End the commands of running jobs, which the next server continues."""
        self.closing.set()
        if self._runner is not None:
            self._runner.close()
        self._runner = self._store = None
        self._opened.close()

    def submit(self, request: AnyJobRequest) -> Job:
        """Queue a job.

        Raises:
            ApiError: the request is invalid, or too many jobs wait.
            UnreachableError: the disk is full.
            VoxmatrixError: a value is invalid.
        """
        store, runner = self._parts()
        identity = uuid4().hex
        folder = self.folder(identity)
        with self._submitting:
            if store.counts()["queued"] >= MAX_WAITING:
                message = f"{MAX_WAITING} jobs are already waiting"
                raise ApiError(429, message, code="queue_full", headers=_RETRY_AFTER)
            try:
                with storage_errors(folder):
                    folder.mkdir(parents=True)
                work = request.work(self.sources, folder)
                job = Job(
                    id=identity,
                    kind=request.kind,
                    title=request.title or work.title,
                    state="queued",
                    request=request.model_dump(mode="json", exclude_unset=True),
                    work=work,
                    created=time.time(),
                )
                store.add(job)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        runner.schedule()
        return job

    def get(self, job: str) -> Job:
        """A job.

        Raises:
            ApiError: there is none with this id.
        """
        found = self._parts()[0].get(job)
        if found is None:
            raise ApiError(404, "there is no such job", param="job", code="not_found")
        return found

    def page(self, limit: int, after: str | None, kinds: Sequence[str]) -> tuple[list[Job], bool]:
        """Some jobs, newest first, and whether there are more."""
        found = self._parts()[0].page(limit + 1, after, kinds)
        return found[:limit], len(found) > limit

    def events(self, job: str, after: int) -> list[Event]:
        """The first events of a job after this one."""
        return self._parts()[0].events(job, after)

    def counts(self) -> dict[State, int]:
        """The number of jobs in each state."""
        return dict.fromkeys(STATES, 0) if self._store is None else self._store.counts()

    def cancel(self, job: str) -> Job:
        """End a job. A command needs some seconds to end."""
        self.get(job)
        self._parts()[1].cancel(job)
        return self.get(job)

    def resume(self, job: str) -> Job:
        """Queue a job again that has failed or was cancelled.

        Raises:
            ApiError: it is in another state.
        """
        store, runner = self._parts()
        if not store.queue_again(self.get(job).id):
            message = f"only a job that is {' or '.join(RESUMABLE)} can be resumed; this one is {self.get(job).state}"
            raise ApiError(409, message, param="job", code="wrong_state")
        runner.schedule()
        return self.get(job)

    def remove(self, job: str) -> None:
        """Remove a job that has ended, with its files.

        Raises:
            ApiError: it has not ended.
        """
        found, (store, _) = self.get(job), self._parts()
        if not store.remove(job):
            raise ApiError(409, f"the job is {found.state}: cancel it first", param="job", code="wrong_state")
        unfinished = [one for state in STATES if state != "done" for one in store.in_state(state)]
        of_others = {folder for one in unfinished for folder in one.work.leftovers}
        for folder in (self.folder(job), *(Path(one) for one in found.work.leftovers if one not in of_others)):
            shutil.rmtree(folder, ignore_errors=True)

    def folder(self, job: str) -> Path:
        """The folder of a job."""
        return self._root / job

    def files(self, job: Job) -> dict[str, Path]:
        """What can be downloaded of a job, by name. Links and unfinished files are left out."""
        folder = self.folder(job.id)
        found: dict[str, Path] = {}
        for pattern in (*job.work.files, LOG_NAME):
            place, name = (
                (Path(pattern).parent, Path(pattern).name) if Path(pattern).is_absolute() else (folder, pattern)
            )
            paths = sorted(place.glob(name))
            for path in paths:
                if path.name == LOG_NAME and not read_text_or_empty(path):
                    continue
                if path.is_file() and not path.is_symlink() and not path.name.startswith("."):
                    found[path.relative_to(folder).as_posix() if folder in path.parents else path.name] = path
        return found

    def unfinished_sound(self, job: Job) -> Path | None:
        """The WAV that a running job speaks; None if there is none yet.

        Nor is there on Windows, where a file that is read cannot be renamed when it is complete.
        """
        if job.kind != "speech" or job.state != "running" or sys.platform == "win32":
            return None
        return unfinished(self.folder(job.id) / job.work.files[0])

    def _parts(self) -> tuple[JobStore, Runner]:
        """The parts of an open server.

        Raises:
            ApiError: they are not open.
        """
        if self._store is None or self._runner is None:
            message = "this server has no jobs"
            if self.absent in (STARTING, _ANOTHERS):
                message += f": {self.absent.problem}"
            raise ApiError(503, message, code="unavailable", headers=_RETRY_AFTER)
        return self._store, self._runner
