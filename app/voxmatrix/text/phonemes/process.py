"""A program that stays open and answers line by line, on a system with terminals or without."""

import contextlib
import os
import queue
import subprocess
import threading
from typing import IO

from voxmatrix.errors import MissingProgramError


class EndedError(Exception):
    """The program is gone, or has said nothing for too long."""


class LineProgram:
    """A running program. It writes to a terminal, where programs send each line at once, if the system has any."""

    def __init__(self, command: list[str]) -> None:
        terminal = _open_terminal()
        read, write = terminal or os.pipe()
        #: Without a terminal the program keeps some thousand characters before it says any.
        self.holds_back = terminal is None
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=write,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for us: the sentence at hand is still finished
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # the same on Windows
            )
        except OSError as error:
            os.close(read)
            problem = f"{command[0]} cannot be started: {error.strerror}"
            raise MissingProgramError(problem, "install that program anew") from error
        finally:
            os.close(write)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_collect, args=(os.fdopen(read, "rb"), self._lines), daemon=True).start()

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    def write(self, text: str) -> None:
        """Send whole lines.

        Raises:
            EndedError: nobody reads them.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode("utf-8"))
            self._process.stdin.flush()
        except (OSError, ValueError) as error:  # gone, or stopped by us
            raise EndedError from error

    def read(self, timeout_seconds: float) -> str:
        """The next line, without what surrounds it.

        Raises:
            EndedError: none came.
        """
        try:
            line = self._lines.get(timeout=timeout_seconds)
        except queue.Empty as error:
            raise EndedError from error
        if not line:
            self._lines.put(line)
            raise EndedError
        return line.decode("utf-8", "replace").strip()

    def stop(self) -> None:
        """End the program and wait for its end."""
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.kill()
        self._process.wait()

    def disown(self) -> None:
        """Leave the program to the process that started it: after a fork there are two of us."""
        self._process.returncode = 0


def _open_terminal() -> tuple[int, int] | None:
    try:
        import tty

        read, write = os.openpty()
    except (ImportError, AttributeError, OSError):  # Windows; a system without /dev/pts
        return None
    tty.setraw(write)
    return read, write


def _collect(output: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    """Put each line into the queue, and an empty one at the end; a terminal ends with an error."""
    with output, contextlib.suppress(OSError):
        for line in output:
            lines.put(line)
    lines.put(b"")
