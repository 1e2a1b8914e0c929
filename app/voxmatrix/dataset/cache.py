"""What is known of sounds and texts, keyed by their content: a folder of `.npy` files and one SQLite index.

Three things are remembered: which bytes a file held when its size, time and inode were these; what those bytes sound
like at a rate (facts, and the `.npy`); how a text is pronounced. So a touched file is read again and nothing else, a
changed text is pronounced again and its sound kept. The index is written by SQLite's transactions and each `.npy` by
renaming; whatever a kill interrupts is done again.
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

from voxmatrix.errors import DamagedFileError, UnreachableError
from voxmatrix.files import storage_errors

INDEX_NAME = "index.sqlite"
CLIPS_NAME = "clips"
#: Of a `.npy` of one dimension, as numpy writes it; with two bytes a sample it gives the file's size.
NPY_HEADER_BYTES = 128
#: A part that no process has finished within this time never will be.
STALE_SECONDS = 3600.0
_COMMIT_ENTRIES = 256
_FILES = (
    "create table if not exists files (path blob primary key, size integer, mtime_ns integer, inode integer, sha256)"
)


class Entry(Protocol):
    """A NamedTuple of numbers and texts."""

    @property
    def _fields(self) -> tuple[str, ...]: ...

    def __iter__(self) -> Iterator[Any]: ...


E = TypeVar("E", bound=Entry)


class Stamp(NamedTuple):
    """What a file's content is not expected to change without."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: str) -> Self:
        """The stamp of the file as it is now."""
        stat = os.stat(path)  # noqa: PTH116  a third of the time of Path.stat, for each recording
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ino)


class Cache:
    """May be used by several threads, and by several processes at a time.

    Raises (every method):
        UnreachableError: the place is full, read-only, or cannot be locked.
        DamagedFileError: the index is damaged; `discard` it and start again.
    """

    def __init__(self, folder: Path, **kinds: type[Entry]) -> None:
        """`kinds`: what is remembered under keys, by the name of its table. New fields make a new table."""
        self.folder = folder
        self._tables = {kind: f"{name}_{zlib.crc32(_columns(kind).encode()):08x}" for name, kind in kinds.items()}
        self._lock = threading.Lock()
        self._unsaved = 0
        _make_folder(folder)
        with self._errors():
            self._index = sqlite3.connect(folder / INDEX_NAME, timeout=60, check_same_thread=False)
        try:
            with self._errors():
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
        """Where the samples of this key lie in a cache, or will."""
        return Path(f"{folder}/{CLIPS_NAME}/{key[:2]}/{key}.npy")

    def holds_clip(self, key: str, samples: int) -> bool:
        """Whether the samples are there, all of them."""
        try:
            return os.stat(self.clip_path(self.folder, key)).st_size == NPY_HEADER_BYTES + 2 * samples  # noqa: PTH116
        except OSError:
            return False

    def known_files(self, paths: Iterable[str]) -> dict[str, tuple[Stamp, str]]:
        """The stamp and the SHA-256 that each of these files had when it was last read."""
        by_name = {os.fsencode(path): path for path in paths}
        rows = self._select("select * from files where path in", by_name)
        return {by_name[name]: (Stamp(size, time_ns, inode), sha) for name, size, time_ns, inode, sha in rows}

    def known(self, kind: type[E], keys: Iterable[str]) -> dict[str, E]:
        """What is remembered under each of these keys."""
        rows = self._select(f"select * from {self._tables[kind]} where key in", set(keys))
        return {row[0]: kind(*row[1:]) for row in rows}

    def remember_file(self, path: str, stamp: Stamp, sha256: str) -> None:
        """This file holds these bytes as long as its stamp stays."""
        self._write("files", (os.fsencode(path), *stamp, sha256))

    def remember(self, key: str, entry: Entry) -> None:
        """This content is known so."""
        self._write(self._tables[type(entry)], (key, *entry))

    def save(self) -> None:
        """Make everything so far last."""
        with self._lock, self._errors():
            self._index.commit()
            self._unsaved = 0

    def clean(self) -> None:
        """Remove what killed runs left half-written."""
        for part in self.folder.glob(f"{CLIPS_NAME}/*/.*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > STALE_SECONDS:
                    part.unlink()

    @staticmethod
    def discard(folder: Path) -> None:
        """Put a damaged index aside; the clips stay, and are found again as they are made."""
        with storage_errors(folder):
            for name in (INDEX_NAME, f"{INDEX_NAME}-journal"):
                with contextlib.suppress(FileNotFoundError):
                    (folder / name).replace(folder / f"{name}.damaged")

    def _select(self, statement: str, keys: Iterable[Any]) -> list[Any]:
        rows: list[Any] = []
        left = list(keys)
        with self._lock, self._errors():
            for start in range(0, len(left), 500):
                some = left[start : start + 500]
                rows += self._index.execute(f"{statement} ({','.join('?' * len(some))})", some).fetchall()
        return rows

    def _write(self, table: str, values: tuple[Any, ...]) -> None:
        with self._lock, self._errors():
            self._index.execute(f"insert or replace into {table} values ({','.join('?' * len(values))})", values)
            self._unsaved += 1
            if self._unsaved >= _COMMIT_ENTRIES:
                self._index.commit()
                self._unsaved = 0

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        place = self.folder / INDEX_NAME
        try:
            yield
        except sqlite3.OperationalError as error:
            remedy = "free some space there, or set VOXMATRIX_HOME to a folder on a local disk that can be written"
            raise UnreachableError(f"cannot write {place}: {error}", remedy) from error
        except sqlite3.DatabaseError as error:
            raise DamagedFileError(f"{place} is damaged: {error}", f"remove it: rm {place}") from error


def _columns(kind: type[Entry]) -> str:
    return ", ".join(str(field) for field in kind._fields)  # type: ignore[attr-defined]


def _make_folder(folder: Path) -> None:
    try:
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # a file stands in the way, a link leads nowhere, a name is too long
        remedy = "remove what stands in the way, or set VOXMATRIX_HOME to another folder"
        raise UnreachableError(f"{folder} cannot be made: {error.strerror}", remedy) from error
