"""SQLite files that outlive a program: opened, checked, and moved aside if they are damaged."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType

from voxmatrix.errors import DamagedFileError, UnreachableError
from voxmatrix.files import link_target

_SUFFIXES = ("", "-wal", "-shm")
_UNWRITABLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
}
_PRIMARY_CODE = 0xFF  # the rest of an error code of SQLite is detail


class EarlierVersionError(UnreachableError):
    """A database was written by an earlier version of the program, which this one cannot read."""


def connect(
    path: Path,
    tables: str,
    version: int,
    *,
    upgrades: Mapping[int, str] = MappingProxyType({}),
    any_thread: bool = False,
) -> sqlite3.Connection:
    """Open a database, or create it with these tables. A commit is flushed to the disk (synchronous=FULL).

    Args:
        path: of the file.
        tables: the statements that create them.
        version: increased when a version of the program cannot read the tables of an earlier one.
        upgrades: the statements that turn tables of a version into those of the next one.
        any_thread: whether several threads use the connection, one at a time.

    Raises:
        DamagedFileError: it is damaged, or no database.
        UnreachableError: it cannot be written, or was written by another version (EarlierVersionError).
    """
    with database_errors(path):
        database = sqlite3.connect(path, isolation_level=None, check_same_thread=not any_thread)
        try:
            database.execute("pragma journal_mode = wal")
            database.execute("pragma synchronous = full")
            _check(database, path, tables, version, upgrades)
        except BaseException:
            database.close()
            raise
    return database


def _check(database: sqlite3.Connection, path: Path, tables: str, version: int, upgrades: Mapping[int, str]) -> None:
    (found,) = database.execute("pragma user_version").fetchone()
    while found in upgrades:
        database.executescript(f"begin; {upgrades[found]} pragma user_version = {found + 1}; commit;")
        found += 1
    if found == 0:
        database.executescript(f"begin; {tables} pragma user_version = {version}; commit;")
    elif found != version:
        other = EarlierVersionError if found < version else UnreachableError
        raise other(f"{path} was written by another version of voxmatrix", "use that version, or remove the folder")
    if database.execute("pragma quick_check").fetchone() != ("ok",):
        raise DamagedFileError(f"{path} is damaged")


def remove(path: Path) -> None:
    """Remove a database with its logs."""
    for suffix in reversed(_SUFFIXES):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def moved_aside(path: Path) -> Path:
    """Rename a damaged database with its logs, and return its new path. A link to it stays, and gets a new target."""
    path = link_target(path)  # SQLite, too, keeps its logs beside the target
    number = 1
    while (aside := path.with_name(f"{path.stem}.damaged-{number}{path.suffix}")).exists():
        number += 1
    for suffix in reversed(_SUFFIXES):
        with suppress(FileNotFoundError):
            Path(f"{path}{suffix}").rename(f"{aside}{suffix}")
    return aside


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into errors with a remedy.

    Raises:
        DamagedFileError: the database is damaged.
        UnreachableError: the disk is full, or the file cannot be written.
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:  # a damaged schema is not text
        code = getattr(error, "sqlite_errorcode", 0) & _PRIMARY_CODE
        if code in _UNWRITABLE:
            remedy = "free some space there, check that it may be written, and run the same command again"
            raise UnreachableError(f"cannot write {path}: {error}", remedy) from error
        remedy = "run the same command again: what can be read is kept"
        raise DamagedFileError(f"{path} is damaged: {error}", remedy) from error
