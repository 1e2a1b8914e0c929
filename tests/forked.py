"""Python programs in processes forked from one that has imported torch: a start takes milliseconds, not seconds.

For tests that need a process of its own, to send it signals or to kill it, but not the start of Python.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from inspect import signature
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import IO, Any

import pytest

#: What the programs import that takes time.
_PRELOADED = ["torch", "torch._dynamo", "onnxruntime", "matplotlib.figure", "soundfile"]
#: With a module that Python runs as it starts.
_BROKEN_CHILD = Path(__file__).with_name("broken_child")


class Forked:
    """`subprocess.Popen([sys.executable, "-m", MODULE, WORDS…])`, with the part of its interface that tests use."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: int | None = None,
        stdout: int | IO[Any] | None = None,
        stderr: int | IO[Any] | None = None,
        text: bool = False,
        start_new_session: bool = False,
    ) -> None:
        self.args = command
        self.stdin = None  # the standard input is empty, whatever is asked for
        self.stdout, output = _opened(stdout, 1, text)
        self.stderr, errors = (None, output) if stderr == subprocess.STDOUT else _opened(stderr, 2, text)
        self._process: ForkServerProcess = _server().Process(
            target=_run,
            args=(
                command[command.index("-m") + 1 :],
                dict(os.environ if env is None else env),
                str(cwd or Path.cwd()),
                output,
                errors,
                os.sched_getaffinity(0),
                start_new_session,
            ),
        )
        self._process.start()
        self.pid: int = self._process.pid or 0
        output.close()
        errors.close()

    @property
    def returncode(self) -> int | None:
        """The exit code, or the negative number of the signal that ended it."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, input: None = None, timeout: float | None = None) -> tuple[Any, Any]:
        """Read what is left of the output and the errors, and wait for its end."""
        read: dict[str, Any] = {}
        pipes = {name: pipe for name in ("stdout", "stderr") if (pipe := getattr(self, name)) is not None}
        readers = [
            threading.Thread(target=lambda name, pipe: read.update({name: pipe.read()}), args=pair, daemon=True)
            for pair in pipes.items()
        ]
        for reader in readers:
            reader.start()
        self.wait(timeout)
        for reader in readers:
            reader.join()
        for pipe in pipes.values():
            pipe.close()
        return read.get("stdout"), read.get("stderr")

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        for pipe in filter(None, (self.stdout, self.stderr)):
            pipe.close()
        self.wait()


_OPTIONS = signature(Forked).parameters.keys() - {"command"}


@pytest.fixture
def forked_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python programs that are started with `-m` are forked, also those that the app starts."""
    if sys.platform == "linux":
        monkeypatch.setattr(subprocess, "Popen", _Popen)


class _Popen(subprocess.Popen):  # type: ignore[type-arg]
    def __new__(cls, command: Any, *others: Any, **options: Any) -> Any:
        is_module = isinstance(command, list) and command[0] == sys.executable and "-m" in command[1:3]
        can_be_forked = not others and options.keys() <= _OPTIONS and _imports_the_same(options.get("env"))
        return Forked(command, **options) if is_module and can_be_forked else super().__new__(cls)


def _imports_the_same(environment: Mapping[str, str] | None) -> bool:
    """Whether modules are found in no other folder than here."""
    folders = (os.environ if environment is None else environment).get("PYTHONPATH", "").split(os.pathsep)
    return set(folders) <= {"", str(_BROKEN_CHILD), *sys.path}


def _opened(target: int | IO[Any] | None, standard: int, text: bool) -> tuple[IO[Any] | None, Connection]:
    """What the parent reads, if anything, and what the child writes to."""
    reading = None
    if target == subprocess.PIPE:
        end, descriptor = os.pipe()
        reading = os.fdopen(end, "r" if text else "rb")
    elif target == subprocess.DEVNULL:
        descriptor = os.open(os.devnull, os.O_WRONLY)
    else:
        descriptor = os.dup(standard if target is None else target if isinstance(target, int) else target.fileno())
    return reading, Connection(descriptor, readable=False)  # a descriptor that multiprocessing can send


def _server() -> Any:
    """The process to fork, which is started for the first program."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))  # it finds what this process finds
        forkserver.ensure_running()
    return context


def _run(
    words: list[str],
    environment: dict[str, str],
    folder: str,
    output: Connection,
    errors: Connection,
    cpus: set[int],
    start_new_session: bool,
) -> None:
    """Become what the program would be that was started."""
    if start_new_session:
        os.setsid()
    os.sched_setaffinity(0, cpus)  # the server has those of the time when it was started
    os.dup2(output.fileno(), 1)
    os.dup2(errors.fileno(), 2)
    for connection in (output, errors):  # one and the same, perhaps
        connection.close()
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    if "VOXMATRIX_TEST_BROKEN" in environment:
        runpy.run_path(str(_BROKEN_CHILD / "sitecustomize.py"))
    sys.argv[:] = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
