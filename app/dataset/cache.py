"""What is known of sounds and texts, keyed by their content: a folder of `.npy` files and one SQLite index.

Three things are remembered: which bytes a file held when its size, time and inode were these; what those bytes sound
like at a rate (facts, and the `.npy`); how a text is pronounced. So a touched file is read again and nothing else, a
changed text is pronounced again and its sound kept. The index is written by SQLite's transactions and each `.npy` by
renaming; whatever a kill interrupts is done again.
"""

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Self

from app.errors import DamagedFileError, UnreachableError
from app.files import storage_errors

INDEX_NAME = "index.sqlite"
CLIPS_NAME = "clips"
#: Of a `.npy` of one dimension, as numpy writes it; with two bytes a sample it gives the file's size.
NPY_HEADER_BYTES = 128
#: A part that no process has finished within this time never will be.
STALE_SECONDS = 3600.0
_COMMIT_ENTRIES = 256
_TABLES = (
    "create table if not exists files"
    " (path blob primary key, size integer, mtime_ns integer, inode integer, sha256 text)",
    "create table if not exists facts (key text primary key, value text)",
)


class Stamp(NamedTuple):
    """What a file's content is not expected to change without."""

    size: int
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """The stamp of the file as it is now."""
        stat = os.stat(path)  # noqa: PTH116  a third of the time of Path.stat, for each recording
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ino)


class Cache:
    """May be used by several threads, and by several processes at a time.

    Raises (every method):
        UnreachableError: the place is full, read-only, or cannot be locked.
        DamagedFileError: the index is damaged; `discard` it and start again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._unsaved = 0
        _make_folder(folder)
        with self._errors():
            self._index = sqlite3.connect(folder / INDEX_NAME, timeout=60, check_same_thread=False)
        try:
            with self._errors():
                self._index.execute("pragma synchronous = normal")
                for table in _TABLES:
                    self._index.execute(table)
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

    def known_files(self, paths: Iterable[Path]) -> dict[Path, tuple[Stamp, str]]:
        """The stamp and the SHA-256 that each of these files had when it was last read."""
        by_name = {os.fsencode(path): path for path in paths}
        rows = self._select("select path, size, mtime_ns, inode, sha256 from files where path in", by_name)
        return {by_name[name]: (Stamp(size, time_ns, inode), sha) for name, size, time_ns, inode, sha in rows}

    def known_facts(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        """What is known under each of these keys; an entry that cannot be read is as good as none."""
        found = {}
        for key, value in self._select("select key, value from facts where key in", set(keys)):
            with contextlib.suppress(ValueError):
                entry = json.loads(value)
                if isinstance(entry, dict):
                    found[key] = entry
        return found

    def remember_file(self, path: Path, stamp: Stamp, sha256: str) -> None:
        """This file holds these bytes as long as its stamp stays."""
        self._write("insert or replace into files values (?, ?, ?, ?, ?)", (os.fsencode(path), *stamp, sha256))

    def remember_facts(self, key: str, facts: dict[str, Any]) -> None:
        """This content has these facts."""
        self._write("insert or replace into facts values (?, ?)", (key, json.dumps(facts)))

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

    def _write(self, statement: str, values: tuple[Any, ...]) -> None:
        with self._lock, self._errors():
            self._index.execute(statement, values)
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


def _make_folder(folder: Path) -> None:
    try:
        with storage_errors(folder):
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # a file stands in the way, a link leads nowhere, a name is too long
        remedy = "remove what stands in the way, or set VOXMATRIX_HOME to another folder"
        raise UnreachableError(f"{folder} cannot be made: {error.strerror}", remedy) from error
