"""The SQLite file of the jobs."""

import sqlite3
from pathlib import Path

from voxmatrix.database import connect, moved_aside
from voxmatrix.errors import DamagedFileError
from voxmatrix.files import storage_errors

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
