"""The SQLite file of a ledger: opened, checked, and read as far as possible if it is damaged."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from voxmatrix.errors import DamagedFileError, UnreachableError

#: Increased when a version cannot read the tables of an earlier one.
_VERSION = 1
#: `wanted` are the units of this run in order; `deliveries` and `attempts` are of all runs.
_TABLES = """
create table options (id integer primary key, voice text not null, options text not null, unique (voice, options));
create table wanted (place integer primary key, key text not null unique, text text not null, options integer not null,
    given_up text);
create table deliveries (key text primary key, sha256 text not null, samples integer not null, rate_hz integer not null,
    worker text not null, wall_seconds real not null, findings text not null, at real not null) without rowid;
create table attempts (key text not null, worker text not null, problem text not null, at real not null);
"""
_SUFFIXES = ("", "-wal", "-shm")
_UNWRITABLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}
_PRIMARY_CODE = 0xFF  # the rest of an error code of SQLite is detail


def connect(path: Path) -> sqlite3.Connection:
    """Open or create the tables.

    A commit is flushed to the disk (synchronous=FULL): deliveries are committed in groups, so it costs little.

    Raises:
        DamagedFileError: it is damaged, or no ledger.
        UnreachableError: it cannot be written.
    """
    with database_errors(path):
        database = sqlite3.connect(path, isolation_level=None)
        database.text_factory = _text
        try:
            database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = full")
            _check(database, path)
        except BaseException:
            database.close()
            raise
    return database


def _text(data: bytes) -> str:
    """A damaged text is one that is compared and found wrong, not an error."""
    return data.decode("utf-8", "replace")


def _check(database: sqlite3.Connection, path: Path) -> None:
    (version,) = database.execute("pragma user_version").fetchone()
    if version == 0:
        database.executescript(f"begin; {_TABLES} pragma user_version = {_VERSION}; commit;")
    elif version != _VERSION:
        raise UnreachableError(
            f"{path} was written by another version of voxmatrix", "use that version, or remove the folder"
        )
    if database.execute("pragma quick_check").fetchone() != ("ok",):
        raise DamagedFileError(f"{path} is damaged")


def moved_aside(path: Path) -> Path:
    """Rename a damaged database with its logs, and return its new path."""
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    for suffix in reversed(_SUFFIXES):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    return aside


def salvaged(path: Path) -> Iterator[tuple[object, ...]]:
    """The deliveries that can still be read from a damaged database, unchecked."""
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(sqlite3.connect(path)) as database:
        yield from database.execute("select * from deliveries")


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into errors with a remedy.

    Raises:
        DamagedFileError: the database is damaged.
        UnreachableError: the disk is full, or the file cannot be written.
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged schema is no text
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if code in _UNWRITABLE:
            remedy = "free some space there, check that it may be written, and run the same command again"
            raise UnreachableError(f"cannot write {path}: {error}", remedy) from error
        remedy = "run the same command again: what can be read is kept"
        raise DamagedFileError(f"{path} is damaged: {error}", remedy) from error
