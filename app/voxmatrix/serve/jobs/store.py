"""The jobs and their events in a SQLite file, which outlive the server. Thread-safe."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from voxmatrix.closing import Closeable
from voxmatrix.database import connect, database_errors, moved_aside
from voxmatrix.errors import DamagedFileError
from voxmatrix.files import storage_errors
from voxmatrix.serve.jobs.job import ENDED, RESUMABLE, STATES, Event, Job, JobError, State
from voxmatrix.serve.jobs.record import read_records, record_path, write_record

_VERSION = 1
_TABLES = """
create table jobs (number integer primary key autoincrement, id text not null unique, kind text not null,
    title text not null, state text not null, request text not null, work text not null, progress real not null,
    seconds_left real, error text, result text, created real not null, started real, ended real,
    deaths integer not null default 0);
create table events (id integer primary key autoincrement, job text not null, name text not null, data text not null);
create index events_of_job on events (job, id);
create index jobs_by_state on jobs (state, number);
"""


def open_database(path: Path) -> tuple[sqlite3.Connection, Path | None]:
    """Open or create the tables. A damaged file is renamed and its new path returned.

    Raises:
        UnreachableError: the file cannot be written, or was written by another version.
    """
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connect(path), None
    except DamagedFileError:
        aside = moved_aside(path)
        return _connect(path), aside


def _connect(path: Path) -> sqlite3.Connection:
    database = connect(path, _TABLES, _VERSION, any_thread=True)
    database.row_factory = sqlite3.Row
    return database


#: Columns with JSON in them.
_JSON = ("request", "work", "error", "result")
#: A job during which this many servers have died is not started again: it may be what killed them.
_MAX_DEATHS = 3
_DEATHS = JobError(
    message=f"the server ended unexpectedly {_MAX_DEATHS} times while this job was running",
    remedy="it may need more memory than is available; resume it to try once more",
)
#: Events that a list of them would not miss: only the newest is kept.
_PASSING = "progress"


class JobStore(Closeable):
    """All jobs. Each change of state is an event of the job, and is recorded in its folder beside the file."""

    def __init__(self, path: Path) -> None:
        """Open or create the file.

        Raises:
            UnreachableError: it cannot be written.
        """
        self._path = path
        self._lock = threading.Lock()
        self._database, self.damaged = open_database(path)

    def restore(self) -> tuple[int, list[Path]]:
        """List again the jobs whose folders say that they exist, if the list has lost them.

        Return their number, and the folders that do not say what they are.
        """
        recorded, unknown = read_records(self._path.parent)
        lost = [job for job in recorded if self.get(job.id) is None]
        for job in lost:
            self.add(job)
        with self._transaction() as database:
            known = [_job_of(row) for row in database.execute("select * from jobs")]
        readable = {job.id for job in recorded}
        for job in known:
            if job.id not in readable:  # of an earlier version, or damaged
                write_record(self._path.parent, job)
        listed = {job.id for job in known}
        return len(lost), [folder for folder in unknown if folder.name not in listed]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    def add(self, job: Job) -> None:
        """Add a job."""
        columns = {
            name: value if name not in _JSON or value is None else json.dumps(value)
            for name, value in asdict(job).items()
        }
        with self._transaction() as database:
            names, places = ", ".join(columns), ", ".join("?" * len(columns))
            database.execute(f"insert into jobs ({names}) values ({places})", list(columns.values()))
            self._state_event(job.id)

    def get(self, job: str) -> Job | None:
        """The job of this id."""
        with self._transaction():
            return self._job(job)

    def page(self, limit: int, after: str | None = None, kinds: Sequence[str] = ()) -> list[Job]:
        """Jobs of these kinds, or all, newest first: those older than `after`."""
        condition = "where (:kinds = '[]' or kind in (select value from json_each(:kinds)))"
        if after is not None:
            condition += " and number < (select number from jobs where id = :after)"
        values = {"after": after, "kinds": json.dumps(list(kinds)), "limit": limit}
        with self._transaction() as database:
            rows = database.execute(f"select * from jobs {condition} order by number desc limit :limit", values)
            return [_job_of(row) for row in rows]

    def in_state(self, state: State) -> list[Job]:
        """The jobs in a state, oldest first."""
        with self._transaction() as database:
            rows = database.execute("select * from jobs where state = ? order by number", [state])
            return [_job_of(row) for row in rows]

    def counts(self) -> dict[State, int]:
        """The number of jobs in each state."""
        with self._transaction() as database:
            found = {row[0]: row[1] for row in database.execute("select state, count(*) from jobs group by state")}
        return {state: found.get(state, 0) for state in STATES}

    def start(self, job: str) -> bool:
        """A queued job runs now; False if it is no longer queued. One that a dead server ran goes on: it has begun."""
        found = self.get(job)
        started = time.time() if found is None or found.started is None else found.started
        return self._change(job, ("queued",), state="running", started=started, ended=None, seconds_left=None)

    def end(self, job: str, state: State, *, error: JobError | None = None, result: Any = None) -> bool:
        """A job has ended."""
        progress = {"progress": 1.0} if state == "done" else {}
        ended = {"state": state, "ended": time.time(), "seconds_left": None, **progress}
        error_text = None if error is None else json.dumps(asdict(error))
        result_text = None if result is None else json.dumps(result)
        return self._change(job, ("queued", "running"), **ended, error=error_text, result=result_text)

    def queue_again(self, job: str, states: Sequence[State] = RESUMABLE) -> bool:
        """Queue a job that is in one of these states. One that has ended begins anew; one that was running goes on."""
        begun = {"started": None} if states == RESUMABLE else {}
        return self._change(
            job, states, state="queued", error=None, result=None, ended=None, seconds_left=None, **begun
        )

    def recover(self) -> None:
        """Queue the jobs that were running when an earlier server died, unless that happened too often."""
        for job in self.in_state("running"):
            with self._transaction() as database:
                database.execute("update jobs set deaths = deaths + 1 where id = ?", [job.id])
                (deaths,) = database.execute("select deaths from jobs where id = ?", [job.id]).fetchone()
                if deaths >= _MAX_DEATHS:
                    database.execute("update jobs set deaths = 0 where id = ?", [job.id])
            if deaths >= _MAX_DEATHS:
                self.end(job.id, "failed", error=_DEATHS)
            else:
                self.queue_again(job.id, ["running"])

    def progressed(self, job: str, progress: float, seconds_left: float | None, facts: dict[str, Any]) -> None:
        """A job has come further. Its earlier events of progress are forgotten."""
        with self._transaction() as database:
            database.execute(
                "update jobs set progress = ?, seconds_left = ? where id = ?", [progress, seconds_left, job]
            )
            database.execute("delete from events where job = ? and name = ?", [job, _PASSING])
            self._event(job, _PASSING, {**facts, "progress": progress, "seconds_left": seconds_left})

    def add_event(self, job: str, name: str, data: dict[str, Any]) -> None:
        """Something happened that is kept."""
        with self._transaction():
            self._event(job, name, data)

    def events(self, job: str, after: int, limit: int = 500) -> list[Event]:
        """The first events of a job after this one."""
        with self._transaction() as database:
            rows = database.execute(
                "select id, name, data from events where job = ? and id > ? order by id limit ?", [job, after, limit]
            )
            return [Event(row["id"], row["name"], json.loads(row["data"])) for row in rows]

    def remove(self, job: str) -> bool:
        """Forget a job that has ended."""
        with self._transaction() as database:
            places = ", ".join("?" * len(ENDED))
            removed = database.execute(f"delete from jobs where id = ? and state in ({places})", [job, *ENDED])
            if removed.rowcount:
                database.execute("delete from events where job = ?", [job])
                with storage_errors(self._path):
                    record_path(self._path.parent, job).unlink(missing_ok=True)
            return bool(removed.rowcount)

    def _change(self, job: str, states: Sequence[State], **columns: Any) -> bool:
        """Change columns of a job if it is in one of these states, and say so in an event."""
        changes = ", ".join(f"{name} = ?" for name in columns)
        places = ", ".join("?" * len(states))
        with self._transaction() as database:
            changed = database.execute(
                f"update jobs set {changes} where id = ? and state in ({places})", [*columns.values(), job, *states]
            )
            if changed.rowcount:
                self._state_event(job)
            return bool(changed.rowcount)

    def _job(self, job: str) -> Job | None:
        row = self._database.execute("select * from jobs where id = ?", [job]).fetchone()
        return None if row is None else _job_of(row)

    def _state_event(self, job: str) -> None:
        found = self._job(job)
        if found is not None:
            self._event(job, "state", found.to_json())
            write_record(self._path.parent, found)

    def _event(self, job: str, name: str, data: dict[str, Any]) -> None:
        self._database.execute("insert into events (job, name, data) values (?, ?, ?)", [job, name, json.dumps(data)])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, database_errors(self._path):
            self._database.execute("begin immediate")
            try:
                yield self._database
                self._database.execute("commit")
            except BaseException:
                if self._database.in_transaction:  # SQLite itself rolls back on a full disk
                    self._database.execute("rollback")
                raise


def _job_of(row: sqlite3.Row) -> Job:
    texts = {name: json.loads(row[name]) for name in _JSON if row[name] is not None}
    return Job.of_record({**dict(row), **texts})
