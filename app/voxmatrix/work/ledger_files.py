"""The files of a ledger: SQLite, read as far as possible if damaged, and a copy of what is finished for another job."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from voxmatrix import database
from voxmatrix.files import storage_errors

#: 2: sentences have seeds of their own, and so other keys. 3: deliveries say how they were computed.
_VERSION = 3
#: `wanted` are the units of this run in order; `deliveries` and `attempts` are of all runs.
_TABLES = """
create table options (id integer primary key, voice text not null, options text not null, unique (voice, options));
create table wanted (place integer primary key, key text not null unique, text text not null, options integer not null,
    given_up text);
create table deliveries (key text primary key, sha256 text not null, samples integer not null, rate_hz integer not null,
    worker text not null, wall_seconds real not null, findings text not null, at real not null,
    computed text not null default '') without rowid;
create table attempts (key text not null, worker text not null, problem text not null, at real not null);
"""
_UPGRADES = {2: "alter table deliveries add column computed text not null default '';"}


def connect(path: Path) -> sqlite3.Connection:
    """Open or create the tables. Deliveries are committed in groups, so that flushing them costs little.

    Raises:
        DamagedFileError: it is damaged, or no ledger.
        EarlierVersionError: it was written by an earlier version.
        UnreachableError: it cannot be written.
    """
    connection = database.connect(path, _TABLES, _VERSION, upgrades=_UPGRADES)
    connection.text_factory = _text
    return connection


def _text(data: bytes) -> str:
    """A damaged text is one that is compared and found wrong, not an error."""
    return data.decode("utf-8", "replace")


def restore(connection: sqlite3.Connection, damaged: Path) -> int:
    """Copy the deliveries that can still be read from a damaged database, and return how many they are.

    What is wrong in them shows when the audio is checked.
    """
    connection.execute("begin")
    kept = 0
    for found in _salvaged(damaged):
        row = (*found, "")[:9]  # those of version 2 are without `computed`
        if [type(value) for value in row] == [str, str, int, int, str, float, str, float, str]:
            kept += connection.execute(
                "insert or ignore into deliveries values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row
            ).rowcount
    connection.execute("commit")
    return kept


def _salvaged(path: Path) -> Iterator[tuple[object, ...]]:
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(path)) as damaged:
        yield from damaged.execute("select * from deliveries")


def copy_ledger(source: Path, target: Path, link: Callable[[Path, Path], object]) -> None:
    """Copy the record of a job that is not running; its audio, which never changes, gets another path by `link`.

    Raises:
        UnreachableError: the disk is full.
    """
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        for path in source.glob("audio/*/*.wav"):
            link(path, target / path.relative_to(source))
        for path in source.glob("ledger.sqlite*"):  # and what SQLite had beside it when the job was killed
            shutil.copyfile(path, target / path.name)
