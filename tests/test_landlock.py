"""A limited program reads the system and what it was given, and writes only what it was given."""

import errno
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from voxmatrix import landlock
from voxmatrix.child_environment import for_program
from voxmatrix.landlock import Limits, landlock_version, python_folders
from voxmatrix.processes import run

posix = pytest.mark.skipif(sys.platform == "win32", reason="the programs are those of Unix")
limits_work = pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    """A file of the user's."""
    path = tmp_path / "diary"
    path.write_text("dear diary")
    return path


def shell(script: str, limits: Limits = Limits()) -> "subprocess.CompletedProcess[bytes]":  # noqa: B008
    return run(["/bin/sh", "-c", script], environment=for_program(), limits=limits)


def python(program: str, limits: Limits = Limits()) -> str:  # noqa: B008
    reads = (*limits.reads, *python_folders())
    limits = Limits(reads=reads, writes=limits.writes, devices=limits.devices, network=limits.network)
    done = run([sys.executable, "-I", "-c", program], environment=for_program(), limits=limits)
    return (done.stdout + done.stderr).decode()


@limits_work
def test_a_file_is_read_only_if_it_was_given(diary: Path) -> None:
    assert shell(f"cat {diary}").stdout == b""
    assert shell(f"cat {diary}", Limits(reads=(diary,))).stdout == b"dear diary"
    assert diary.read_text() == "dear diary"  # this process is not limited


@limits_work
def test_nothing_is_written_but_in_the_given_places(diary: Path, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    (tmp_path / "result").touch()
    script = f"for i in {tmp_path}/new {tmp_path}/place/new {tmp_path}/result {diary}; do echo changed > $i; done"
    shell(
        f"{script}; rm -f {diary}; mv {tmp_path}/place {tmp_path}/moved",
        Limits(writes=(tmp_path / "place", tmp_path / "result")),
    )
    assert diary.read_text() == "dear diary"
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "place" / "new").read_text() == (tmp_path / "result").read_text() == "changed\n"


@limits_work
def test_what_it_starts_is_limited_too(diary: Path) -> None:
    assert shell(f"sh -c 'sh -c \"cat {diary}\"'").stdout == b""


@limits_work
def test_it_does_not_read_the_environment_of_other_processes() -> None:
    assert shell(f"cat /proc/{os.getpid()}/environ /proc/{os.getpid()}/maps").stdout == b""
    assert shell("tr -d '\\0' < /proc/self/environ").stdout


@pytest.mark.skipif(landlock_version() < 4, reason="this kernel does not limit the network")
def test_it_has_no_network_unless_it_was_given() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        program = (
            f"import socket; socket.create_connection(('127.0.0.1', {server.getsockname()[1]})); print('connected')"
        )
        assert "PermissionError" in python(program)
        assert python(program, Limits(network=True)) == "connected\n"


@pytest.mark.skipif(landlock_version() < 6, reason="this kernel does not limit signals")
def test_it_signals_no_process_but_its_own() -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        assert "PermissionError" in python(f"import os; os.kill({other.pid}, {signal.SIGTERM:d})")
        assert other.poll() is None
        other.kill()


@limits_work
def test_python_runs_and_opens_the_usual_devices() -> None:
    program = "import json, random; open('/dev/null', 'w').write('x'); print(open('/dev/zero', 'rb').read(1))"
    assert python(program) == "b'\\x00'\n"


@posix
def test_a_program_with_the_rights_of_another_user_is_started_without_limits(diary: Path, tmp_path: Path) -> None:
    program = tmp_path / "as-root"
    shutil.copy(shutil.which("cat") or "", program)
    program.chmod(0o4755)
    done = run([str(program), str(diary)], environment=for_program(), limits=Limits())
    assert done.stdout == b"dear diary"


@posix
@pytest.mark.parametrize("version", [0, 1])
def test_a_kernel_that_cannot_limit_starts_the_program_all_the_same(
    diary: Path, monkeypatch: pytest.MonkeyPatch, version: int
) -> None:
    def refuses(*_: object) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(landlock, "landlock_version", lambda: version)
    monkeypatch.setattr(landlock, "_call", refuses)
    assert shell(f"cat {diary}").stdout == b"dear diary"


@limits_work
def test_a_path_that_cannot_be_opened_now_is_the_error_and_not_a_program_without_it(
    diary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def too_many(path: object, *others: int, **named: int) -> int:
        if path == diary:
            raise OSError(errno.EMFILE, "Too many open files", str(diary))
        return opened(path, *others, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", too_many)
    with pytest.raises(OSError, match="Too many open files"):
        shell(f"cat {diary}", Limits(reads=(diary,)))


@limits_work
@pytest.mark.parametrize("version", range(1, landlock_version() + 1))
def test_every_version_of_the_interface_is_spoken(diary: Path, monkeypatch: pytest.MonkeyPatch, version: int) -> None:
    monkeypatch.setattr(landlock, "landlock_version", lambda: version)
    assert shell(f"cat {diary}").stdout == b""
    assert shell(f"cat {diary}", Limits(reads=(diary,))).stdout == b"dear diary"


@posix
def test_a_program_that_is_not_there_is_the_same_error() -> None:
    with pytest.raises(FileNotFoundError):
        run(["/nowhere/program"], environment=for_program(), limits=Limits())
