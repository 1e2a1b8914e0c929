"""A cache of sounds and pronunciations, keyed by content: a folder of `.npy` files and one SQLite index.

It stores three things: the SHA-256 of each file with its size, time and inode; the sound of those bytes at a sample
rate (facts in the index, samples in a `.npy`); and the pronunciation of each text. A touched file is therefore hashed
again but not decoded again, and a changed text is pronounced again but its sound is kept. The index is written in
SQLite transactions and each `.npy` is renamed into place, so a killed process only loses work in progress.
"""

import contextlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from voxmatrix.database import BUSY_SECONDS, database_errors
from voxmatrix.files import storage_errors

INDEX_NAME = "index.sqlite"
CLIPS_NAME = "clips"
#: Header size of a one-dimensional `.npy`; the samples after it take two bytes each.
NPY_HEADER_BYTES = 128
#: A `.part` file older than this belongs to a process that was killed.
STALE_SECONDS = 3600.0
_COMMIT_ENTRIES = 256
_FILES = (
    "create table if not exists files (path blob primary key, size integer, mtime_ns integer, inode integer, sha256)"
)


class Entry(Protocol):
    """A NamedTuple of numbers and strings."""

    @property
    def _fields(self) -> tuple[str, ...]: ...

    def __iter__(self) -> Iterator[Any]: ...


E = TypeVar("E", bound=Entry)


class Stamp(NamedTuple):
    """File attributes; while they stay the same, the content is assumed unchanged."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: str) -> Self:
        """The current stamp of a file."""
        stat = os.stat(path)  # noqa: PTH116  takes a third of the time of Path.stat, per recording
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ino)


class Cache:
    """The cache in one folder; safe for several threads and processes at a time.

    Raises (every method):
        UnreachableError: the folder is full, read-only or cannot be locked, or another program has the index open.
        DamagedFileError: the index is damaged; call `discard` and open the cache again.
    """

    def __init__(self, folder: Path, **kinds: type[Entry]) -> None:
        """`kinds`: the types of entries by table name. A type with other fields gets a new table."""
        self.folder = folder
        self._place = folder / INDEX_NAME
        self._tables = {kind: f"{name}_{zlib.crc32(_columns(kind).encode()):08x}" for name, kind in kinds.items()}
        self._lock = threading.Lock()
        self._unsaved = 0
        _make_folder(folder)
        with database_errors(self._place):
            self._index = sqlite3.connect(self._place, timeout=BUSY_SECONDS, check_same_thread=False)
        try:
            with database_errors(self._place):
                self._index.execute("pragma synchronous = normal")
                self._index.execute(_FILES)
                for kind, table in self._tables.items():
                    self._index.execute(f"create table if not exists {table} (key text primary key, {_columns(kind)})")
        except BaseException:
            self._index.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.save()
        finally:
            self._index.close()

    @staticmethod
    def clip_path(folder: Path, key: str) -> Path:
        """The path of the samples for a key in the cache at `folder`."""
        return Path(f"{folder}/{CLIPS_NAME}/{key[:2]}/{key}.npy")

    def holds_clip(self, key: str, samples: int) -> bool:
        """Whether the file with these samples exists and is complete."""
        try:
            return os.stat(self.clip_path(self.folder, key)).st_size == NPY_HEADER_BYTES + 2 * samples  # noqa: PTH116
        except OSError:
            return False

    def lookup_files(self, paths: Iterable[str]) -> dict[str, tuple[Stamp, str]]:
        """The stored stamp and SHA-256 of these files, where there are any."""
        by_name = {os.fsencode(path): path for path in paths}
        rows = self._select("select * from files where path in", by_name)
        return {by_name[name]: (Stamp(size, time_ns, inode), sha) for name, size, time_ns, inode, sha in rows}

    def lookup(self, kind: type[E], keys: Iterable[str]) -> dict[str, E]:
        """The stored entries for these keys, where there are any."""
        rows = self._select(f"select * from {self._tables[kind]} where key in", set(keys))
        return {row[0]: kind(*row[1:]) for row in rows}

    def store_file(self, path: str, stamp: Stamp, sha256: str) -> None:
        """Store the SHA-256 of a file with the stamp it had."""
        self._write("files", (os.fsencode(path), *stamp, sha256))

    def store(self, key: str, entry: Entry) -> None:
        """Store an entry, replacing an earlier one for the same key."""
        self._write(self._tables[type(entry)], (key, *entry))

    def save(self) -> None:
        """Commit everything stored so far."""
        with self._lock, database_errors(self._place):
            self._index.commit()
            self._unsaved = 0

    def clean(self) -> None:
        """Remove unfinished files of killed processes."""
        for part in self.folder.glob(f"{CLIPS_NAME}/*/.*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > STALE_SECONDS:
                    part.unlink()

    @staticmethod
    def discard(folder: Path) -> None:
        """Rename a damaged index to `*.damaged`; the clips stay."""
        with storage_errors(folder):
            for name in (INDEX_NAME, f"{INDEX_NAME}-journal"):
                with contextlib.suppress(FileNotFoundError):
                    (folder / name).replace(folder / f"{name}.damaged")

    def _select(self, statement: str, keys: Iterable[Any]) -> list[Any]:
        rows: list[Any] = []
        values = list(keys)
        with self._lock, database_errors(self._place):
            for start in range(0, len(values), 500):
                part = values[start : start + 500]
                rows += self._index.execute(f"{statement} ({','.join('?' * len(part))})", part).fetchall()
        return rows

    def _write(self, table: str, values: tuple[Any, ...]) -> None:
        with self._lock, database_errors(self._place):
            self._index.execute(f"insert or replace into {table} values ({','.join('?' * len(values))})", values)
            self._unsaved += 1
            if self._unsaved >= _COMMIT_ENTRIES:
                self._index.commit()
                self._unsaved = 0


def _columns(kind: type[Entry]) -> str:
    return ", ".join(str(field) for field in kind._fields)  # type: ignore[attr-defined]


def _make_folder(folder: Path) -> None:
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
