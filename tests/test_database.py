"""What is only locked or out of reach is left alone; only what SQLite finds damaged is damage."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from voxmatrix import database
from voxmatrix.database import LockedError, connect, database_errors, moved_aside
from voxmatrix.errors import DamagedFileError, UnreachableError

TABLES = "create table facts (key text primary key, value integer);"


@contextmanager
def held(path: Path, *, whole: bool = True) -> Iterator[None]:
    """Another program has the file: `whole`, as some viewers and backups do, or for writing."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"pragma locking_mode = {'exclusive' if whole else 'normal'}")
        other.execute("begin exclusive")
        other.execute("create table theirs (a)")
        yield
        other.execute("rollback")


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with a row; nobody waits long."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    path = tmp_path / "some.sqlite"
    with closing(connect(path, TABLES, 1)) as made:
        made.execute("insert into facts values ('a', 1)")
    return path


@pytest.mark.parametrize("whole", [True, False])
def test_a_file_that_another_program_has_is_named_and_stays_as_it_is(path: Path, whole: bool) -> None:
    with (
        held(path, whole=whole),
        pytest.raises(LockedError) as caught,
        database_errors(path),
        closing(connect(path, TABLES, 1)) as opened,
    ):
        opened.execute("insert into facts values ('b', 2)")
    assert caught.value.exit_code == 8
    assert "another program has" in caught.value.problem and "close it" in caught.value.remedy
    with closing(connect(path, TABLES, 1)) as opened:
        assert opened.execute("select * from facts").fetchall() == [("a", 1)]


def codes() -> dict[str, int]:
    """The names and numbers of all errors of this SQLite, primary ones and their kinds."""
    classes = {code for name, code in vars(sqlite3).items() if re.fullmatch(r"SQLITE_[A-Z]+", name) and code}
    return {
        name: code
        for name, code in vars(sqlite3).items()
        if re.fullmatch(r"SQLITE_[A-Z_]+", name)
        and name.split("_")[1] in (*_ERRORS, "CORRUPT", "NOTADB")
        and isinstance(code, int)
        and code & 0xFF in classes
    }


_ERRORS = ("BUSY", "LOCKED", "NOMEM", "IOERR", "PROTOCOL", "INTERRUPT", "FULL", "CANTOPEN", "READONLY", "PERM", "AUTH",
           "NOLFS", "SCHEMA", "MISUSE", "TOOBIG", "CONSTRAINT", "MISMATCH", "ABORT", "INTERNAL", "ERROR")  # fmt: skip


@pytest.mark.parametrize("name", sorted(codes()))
def test_only_what_sqlite_calls_corrupt_is_damaged(name: str, tmp_path: Path) -> None:
    error = sqlite3.OperationalError("strange")
    error.sqlite_errorcode = codes()[name]
    damaged = name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB"))
    with pytest.raises(DamagedFileError if damaged else UnreachableError) as caught, database_errors(tmp_path / "a"):
        raise error
    assert caught.value.remedy and str(tmp_path / "a") in caught.value.problem


@pytest.mark.parametrize("statement", ["drop table facts", "alter table facts rename column value to other"])
def test_a_file_without_its_tables_is_damaged(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(statement)
    with pytest.raises(DamagedFileError):
        connect(path, TABLES, 1)


def test_a_page_that_the_disk_did_not_give_is_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Unread(sqlite3.Connection):
        def execute(self, statement: str, *values: object) -> sqlite3.Cursor:  # type: ignore[override]
            if statement == "pragma quick_check":
                statement = "select 'Tree 2 page 2: unable to get the page. error code=266'"
            return super().execute(statement, *values)  # type: ignore[arg-type]

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **more: real(*given, **more, factory=Unread))
    with pytest.raises(UnreachableError, match="unable to get the page"):
        connect(path, TABLES, 1)


def test_a_damaged_file_that_cannot_be_renamed_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def rename(self: Path, _: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(UnreachableError, match=r"some\.sqlite"):
        moved_aside(path)
    assert path.exists()
