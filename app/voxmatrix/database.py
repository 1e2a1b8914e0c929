"""SQLite files that outlive a program: opened, checked, and moved aside if they are damaged.

Damaged is only what SQLite found to be so in the file. Whatever else prevents its use (a lock, a full disk, a network
file system that is away, no memory) passes, and the file is left where it is.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from voxmatrix.errors import DamagedFileError, MemoryExhaustedError, UnreachableError
from voxmatrix.files import link_target, storage_errors

_SUFFIXES = ("", "-wal", "-shm")
#: How long is waited for another program that has a file open.
BUSY_SECONDS = 30.0
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
_PRIMARY_CODE = 0xFF  # the rest of an error code of SQLite is detail
#: How `quick_check` reports a page that it could not read, which may be the disk's fault and not the file's.
_UNREAD_PAGE = re.compile(r"error code=(\d+)")
#: Without one of its columns, a file of the right version is damaged: the page with its schema was.
_COLUMNS = "select t.name, c.name from sqlite_master as t join pragma_table_info(t.name) as c where t.type = 'table'"


class LockedError(UnreachableError):
    """Another program has the database open, and did not let go of it."""


class EarlierVersionError(UnreachableError):
    """A database was written by an earlier version of the program, which this one cannot read."""


def connect(
    path: Path,
    tables: str,
    version: int,
    *,
    any_thread: bool = False,
) -> sqlite3.Connection:
    """Open a database, or create it with these tables. A commit is flushed to the disk (synchronous=FULL).

    Args:
        path: of the file.
        tables: the statements that create them.
        version: increased when a version of the program cannot read the tables of an earlier one.
        any_thread: whether several threads use the connection, one at a time.

    Raises:
        DamagedFileError: it is damaged, or no database.
        UnreachableError: it cannot be used now: it is locked (LockedError), cannot be written, or was written by
            another version (EarlierVersionError).
    """
    with database_errors(path):
        database = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=not any_thread)
        try:
            database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = full")
            _check(database, path, tables, version)
        except BaseException:
            database.close()
            raise
    return database


def _check(database: sqlite3.Connection, path: Path, tables: str, version: int) -> None:
    (found,) = database.execute("pragma user_version").fetchone()
    if found == 0:
        database.executescript(f"begin; {tables} pragma user_version = {version}; commit;")
    elif found != version:
        other = EarlierVersionError if found < version else UnreachableError
        raise other(f"{path} was written by another version of voxmatrix", "use that version, or remove the folder")
    _check_content(database, path, tables)


def _check_content(database: sqlite3.Connection, path: Path, tables: str) -> None:
    (found,) = database.execute("pragma quick_check").fetchone()
    unread = _UNREAD_PAGE.search(found)
    if unread and int(unread[1]) & _PRIMARY_CODE not in _DAMAGED:
        raise UnreachableError(f"cannot read {path}: {found}", _REMEDY)
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(tables)
        wanted = set(fresh.execute(_COLUMNS))
    if found != "ok" or not wanted <= set(database.execute(_COLUMNS)):
        raise DamagedFileError(f"{path} is damaged", _KEPT)


def remove(path: Path) -> None:
    """Remove a database with its logs."""
    for suffix in reversed(_SUFFIXES):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def moved_aside(path: Path) -> Path:
    """Rename a damaged database with its logs, and return its new path. A link to it stays, and gets a new target.

    Raises:
        UnreachableError: it cannot be renamed.
    """
    path = link_target(path)  # SQLite, too, keeps its logs beside the target
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    with storage_errors(path):
        for suffix in reversed(_SUFFIXES):
            with suppress(FileNotFoundError):
                Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    return aside


_REMEDY = "check that its disk is there, has space and may be written, and run the same command again"
_KEPT = "run the same command again: what can be read is kept"


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into errors with a remedy.

    Raises:
        DamagedFileError: the database is damaged.
        MemoryExhaustedError: SQLite has no memory.
        UnreachableError: it cannot be used now; LockedError if another program has it open.
    """
    try:
        yield
    except MemoryError as error:
        remedy = "close other programs, or allow more memory"
        raise MemoryExhaustedError(f"out of memory while using {path}", remedy) from error
    except UnicodeDecodeError as error:  # a damaged schema is not text
        raise DamagedFileError(f"{path} is damaged: {error}", _KEPT) from error
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if code in _DAMAGED:
            raise DamagedFileError(f"{path} is damaged: {error}", _KEPT) from error
        if code in _LOCKED:
            problem = f"another program has {path} open ({error})"
            raise LockedError(problem, "close it, e.g. a database viewer or a backup, and try again") from error
        raise UnreachableError(f"cannot use {path}: {error}", _REMEDY) from error
