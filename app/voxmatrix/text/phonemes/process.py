"""A child process that answers line by line, each answer within a time limit."""

import contextlib
import queue
import subprocess
import threading
from typing import IO


class EndedError(Exception):
    """The child process has ended, or has not answered in time."""


class LineProcess:
    """A running child process: lines in, lines out."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us: the sentence in progress is still finished
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
        )
        assert self._process.stdout is not None
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
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
        except (OSError, ValueError) as error:  # it died, or was stopped
            raise EndedError from error

    def read(self, timeout_seconds: float) -> bytes:
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

    def stop(self) -> None:
        """End the process and wait for its end."""
        self._process.kill()
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()

    def disown(self) -> None:
        """Leave the process to the parent that started it: after a fork there are two of us."""
        self._process.returncode = 0


def _collect(output: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    """Put each line into the queue, and an empty one at the end."""
    with output:
        for line in output:
            lines.put(line)
    lines.put(b"")
