"""Child processes: started with an environment and limits, asked line by line, ended in time, and how they ended.

Every program that voxmatrix runs is started by `start`.
"""

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

from voxmatrix.landlock import Limits, limited

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

#: The exit code of a process that Linux ended because the memory ran out.
OUT_OF_MEMORY = -getattr(signal, "SIGKILL", 9)
#: How soon it is noticed that nobody wants the output of a program any more.
_LOOK_SECONDS = 0.1


def start(
    command: Sequence[str], *, environment: Mapping[str, str], limits: Limits | None = None, **options: Any
) -> "subprocess.Popen[bytes]":
    """Start a program. `options` are those of `subprocess.Popen`; its input is empty unless they say otherwise.

    `environment` is one of `voxmatrix.child_environment`, never a copy of that of this process, which may have secrets.
    A program that reads the files of strangers, or runs the code of others, has `limits`.

    Raises:
        OSError: it cannot be started.
    """
    command = list(command)
    options.setdefault("stdin", subprocess.DEVNULL)

    def popen() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, env=dict(environment), **options)

    return popen() if limits is None else limited(popen, command[0], limits)


def run(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    limits: Limits | None = None,
    timeout_seconds: float | None = None,
    unwanted: Callable[[], bool] | None = None,
    **options: Any,
) -> "subprocess.CompletedProcess[bytes]":
    """Start a program as `start` does, wait for its end, and return its output and its errors. It is killed otherwise.

    With `start_new_session=True`, what it has started itself is killed with it.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it took longer.
        EndedError: `unwanted`, which is asked ten times a second, said so.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    with start(command, environment=environment, limits=limits, **pipes) as process:
        try:
            output, errors = _communicate(process, timeout_seconds, unwanted)
        except BaseException:
            if options.get("start_new_session"):
                kill_group(process.pid)
            process.kill()
            raise
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def _communicate(
    process: "subprocess.Popen[bytes]", timeout_seconds: float | None, unwanted: Callable[[], bool] | None
) -> tuple[bytes, bytes]:
    """The output of a program that ends in time, and while it is wanted."""
    if unwanted is None:
        return process.communicate(timeout=timeout_seconds)
    until = float("inf") if timeout_seconds is None else time.monotonic() + timeout_seconds
    while not unwanted():
        try:
            return process.communicate(timeout=min(_LOOK_SECONDS, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            if time.monotonic() >= until:
                raise
    raise EndedError


@contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """Processes started in the block ignore Ctrl-C from the beginning (on Windows: a little later)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def delaying_signals() -> Iterator[None]:
    """Ctrl-C and SIGTERM in the block take effect at its end. It should be short, and wait for nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda number, _: received.append(number)) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if received:
            signal.raise_signal(received[0])


def join_or_kill(
    processes: "Sequence[BaseProcess]", grace_seconds: float, kill: "Callable[[BaseProcess], None] | None" = None
) -> None:
    """Wait for processes to exit, and kill those that have not after the time, which is for all together.

    `kill` replaces the method of the process, e.g. by one that kills its children, too.
    """
    until = time.monotonic() + grace_seconds
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            if kill is not None:
                kill(process)
            process.kill()
            process.join()


def kill_group(pid: int) -> None:
    """Kill all processes of a group, where the system has groups."""
    if hasattr(os, "killpg"):
        with suppress(OSError):  # no process leads such a group: it has ended, or has only just started
            os.killpg(pid, signal.SIGKILL)


def die_with_parent() -> None:
    """Kill this process, which multiprocessing has started, at once when its parent is gone.

    Daemonic processes do so only when the parent ends in an orderly way.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    threading.Thread(target=watch, name="parent", daemon=True).start()


def describe_exit(code: int | None) -> str:
    """How a process ended: `exited with code 3`, `was terminated by SIGSEGV`."""
    if code is None or code >= 0:
        return f"exited with code {code}"
    try:
        return f"was terminated by {signal.Signals(-code).name}"
    except ValueError:
        return f"was terminated by signal {-code}"


class EndedError(Exception):
    """The child process has ended, has not answered in time, or was not wanted any more."""


class LineProcess:
    """A running command: lines in, lines out. It leads a group, so that Ctrl-C in a terminal does not reach it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        limits: Limits | None = None,
        stderr: "int | IO[bytes]" = subprocess.DEVNULL,
    ) -> None:
        self._process = start(
            command,
            environment=environment,
            limits=limits,
            stdin=subprocess.PIPE,  # closed by the kernel when this process dies
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        assert self._process.stdout is not None
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._killer: threading.Timer | None = None
        threading.Thread(target=_collect, args=(self._process.stdout, self._lines), daemon=True).start()

    @property
    def pid(self) -> int:
        """The process ID."""
        return self._process.pid

    def write(self, line: bytes) -> None:
        """Send one line.

        Raises:
            EndedError: the process has ended.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # it died, or was killed
            raise EndedError from error

    def read(self, timeout_seconds: float | None = None) -> bytes:
        """The next line.

        Raises:
            EndedError: none came.
        """
        try:
            line = self._lines.get(timeout=timeout_seconds)
        except queue.Empty as error:
            raise EndedError from error
        if not line.endswith(b"\n"):
            self._lines.put(b"")
            raise EndedError
        return line

    def lines(self) -> Iterator[bytes]:
        """Every further line, until the process closes its output."""
        with suppress(EndedError):
            while True:
                yield self.read()

    def wait(self) -> int:
        """Wait for the end, and return the exit code."""
        code = self._process.wait()
        if self._killer is not None:
            self._killer.cancel()
        self._close_input()
        return code

    def end(self, grace_seconds: float) -> None:
        """Send SIGTERM, and after a time kill the process with its children if it has not ended. Does not wait."""
        self._process.terminate()
        if self._killer is None:
            self._killer = threading.Timer(grace_seconds, self._kill_if_running)
            self._killer.daemon = True
            self._killer.start()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._close_input()
        self._process.wait()

    def disown(self) -> None:
        """Leave the process to the parent that started it: after a fork there are two of us."""
        self._process.returncode = 0

    def _kill_if_running(self) -> None:
        if self._process.poll() is None:
            kill_group(self.pid)
            self._process.kill()

    def _close_input(self) -> None:
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()


def _collect(output: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    """Put each line into the queue, and an empty one at the end."""
    with output:
        for line in output:
            lines.put(line)
    lines.put(b"")
