"""One process to a folder."""

import subprocess
import sys
from pathlib import Path

import pytest

from voxmatrix.errors import UnreachableError, UsageError
from voxmatrix.lock import locked

HOLD = """
import pathlib, sys
from voxmatrix.lock import locked
with locked(pathlib.Path(sys.argv[1]), "training", "stop it"):
    print("held", flush=True)
    input()
"""


def test_another_process_is_refused_until_the_first_ends_however_it_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path / "run")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="another training"), locked(tmp_path / "run", "training", "stop it"):
            pass
        other.kill()
    with locked(tmp_path / "run", "training", "stop it"):
        pass


def test_the_folder_is_made(tmp_path: Path) -> None:
    with locked(tmp_path / "a" / "b", "training", "stop it"):
        assert (tmp_path / "a" / "b").is_dir()


def test_a_new_folder_in_which_nothing_was_written_is_removed(tmp_path: Path) -> None:
    for name, written in (("new", False), ("used", True)):
        with pytest.raises(KeyError), locked(tmp_path / name, "training", "stop it"):
            if written:
                (tmp_path / name / "run.json").touch()
            raise KeyError
    (tmp_path / "old").mkdir()
    with locked(tmp_path / "old", "training", "stop it"):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "used"]


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", forbidden)
    with pytest.raises(UnreachableError, match="Permission denied"), locked(tmp_path / "run", "training", "stop it"):
        pass


def test_a_file_system_without_locks_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def unsupported(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "lockf", unsupported)
    with locked(tmp_path, "training", "stop it"):
        pass
