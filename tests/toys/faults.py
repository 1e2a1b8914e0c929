"""A disk and a SQLite that fail at the n-th call, in this process and below one folder, as SQLite tests itself."""

import builtins
import errno
import io
import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ERRNOS = ("ENOSPC", "EIO", "EACCES", "EMFILE", "EROFS", "EDQUOT", "ESTALE", "ENOMEM", "EFBIG")
CODES = ("BUSY", "IOERR", "FULL", "NOMEM")
#: Which errors each kind of call has.
CALLS = {"open": ERRNOS, "write": ERRNOS, "fsync": ERRNOS, "rename": ERRNOS, "execute": CODES}


def is_full() -> bool:
    """Whether the whole product is tried: VOXMATRIX_HYPOTHESIS=full."""
    return settings().max_examples >= settings.get_profile("full").max_examples


def some_cases(call: str, seen: int, some: int = 4) -> list[tuple[int, str]]:
    """Which of the calls that were seen fail, and how: all, with VOXMATRIX_HYPOTHESIS=full, or some."""
    every = [(number, error) for number in range(1, seen + 1) for error in CALLS[call]]
    return every if is_full() else random.Random(call).sample(every, min(len(every), some))


@dataclass
class Faults:
    """Counts the calls of a kind, and lets one of them fail."""

    folder: Path
    call: str
    number: int = 0  # 0: none fails
    error: str = ""
    seen: int = field(default=0, init=False)

    def happens(self, call: str, path: object) -> None:
        """A call begins; raises the error if it is its turn."""
        if call != self.call or not self._is_below(path):
            return
        self.seen += 1
        if self.seen == self.number:
            self._fail(call, path)

    def _fail(self, call: str, path: object) -> None:
        if call != "execute":
            code = getattr(errno, self.error)
            raise OSError(code, os.strerror(code), *([os.fspath(path)] if isinstance(path, str | Path) else []))
        if self.error == "NOMEM":
            raise MemoryError
        failed = sqlite3.OperationalError(f"a planted {self.error}")
        failed.sqlite_errorcode = getattr(sqlite3, f"SQLITE_{self.error}")
        raise failed

    def _is_below(self, path: object) -> bool:
        if isinstance(path, int):
            return str(Path(f"/proc/self/fd/{path}").readlink()).startswith(f"{self.folder}{os.sep}")
        if path == ":memory:":
            return False
        name = os.path.abspath(os.fsdecode(path))  # type: ignore[arg-type]  # noqa: PTH100  does not follow links
        return name.startswith(f"{self.folder}{os.sep}")


@contextmanager
def planted(faults: Faults) -> Iterator[Faults]:
    """The faults are there."""
    with pytest.MonkeyPatch.context() as patch:
        _plant_files(patch, faults)
        _plant_calls(patch, faults)
        _plant_sqlite(patch, faults)
        yield faults


def _plant_files(patch: pytest.MonkeyPatch, faults: Faults) -> None:
    real = io.open

    class Raw(io.FileIO):
        def write(self, data: Any) -> int:
            faults.happens("write", self.fileno())
            return super().write(data)

    def opened(file: Any, mode: str = "r", buffering: int = -1, *more: Any, **options: Any) -> Any:
        if isinstance(file, int):
            return real(file, mode, buffering, *more, **options)
        faults.happens("open", file)
        if not set("wxa+") & set(mode):
            return real(file, mode, buffering, *more, **options)
        text = dict(zip(("encoding", "errors", "newline", "closefd", "opener"), more, strict=False)) | options
        raw = Raw(file, mode.replace("b", "").replace("t", ""), text.pop("closefd", True), text.pop("opener", None))
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, **text)

    patch.setattr(io, "open", opened)
    patch.setattr(builtins, "open", opened)


def _plant_calls(patch: pytest.MonkeyPatch, faults: Faults) -> None:
    def counted(call: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(first: Any, *given: Any, **more: Any) -> Any:
            if more.get("dir_fd") is None:  # else it is a name in a folder that is removed
                faults.happens(call, first)
            return real(first, *given, **more)

        return wrapped

    for module, name, call in (
        (os, "open", "open"),
        (os, "mkdir", "open"),
        (os, "write", "write"),
        (os, "fsync", "fsync"),
        (os, "replace", "rename"),
        (os, "rename", "rename"),
    ):
        patch.setattr(module, name, counted(call, getattr(module, name)))


def _plant_sqlite(patch: pytest.MonkeyPatch, faults: Faults) -> None:
    real = sqlite3.connect

    class Connection(sqlite3.Connection):
        place: object = ""

        def _happens(self, statement: str) -> None:
            if statement != "rollback":  # which SQLite does by itself, and which cannot fail
                faults.happens("execute", self.place)

        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            self._happens(statement)
            return super().execute(statement, *values)

        def executemany(self, statement: str, *values: Any) -> sqlite3.Cursor:
            self._happens(statement)
            return super().executemany(statement, *values)

        def executescript(self, script: str) -> sqlite3.Cursor:
            self._happens(script)
            return super().executescript(script)

        def commit(self) -> None:
            self._happens("commit")
            super().commit()

    def connect(path: Any, *given: Any, **more: Any) -> sqlite3.Connection:
        made = real(path, *given, factory=Connection, **more)
        assert isinstance(made, Connection)
        made.place = path
        return made

    patch.setattr(sqlite3, "connect", connect)
