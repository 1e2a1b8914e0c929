"""The process of a job: a voxmatrix command that ends with the server."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from voxmatrix.compute.child import json_objects
from voxmatrix.config import home
from voxmatrix.files import storage_errors

#: Written by the command on standard error.
LOG_NAME = "log.txt"
#: A command that was told to end has this long: a training writes its checkpoint.
_GRACE_SECONDS = 20.0


class JobProcess:
    """A running command. `stop` may be called from any thread."""

    def __init__(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Start it.

        Raises:
            UnreachableError: its log cannot be written.
        """
        command = [sys.executable, "-P", "-m", "voxmatrix_entrypoint.attached", str(folder), *words, "--json"]
        environment = {**environment, "VOXMATRIX_HOME": str(home().absolute()), "PYTHONIOENCODING": "utf-8"}
        with storage_errors(folder), (folder / LOG_NAME).open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,  # closed by the kernel when this process dies, which ends the command
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the server, which then stops its jobs
            )
        self._timer: threading.Timer | None = None

    def objects(self) -> Iterator[dict[str, Any]]:
        """What the command prints, as it does."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            yield from json_objects(line.decode("utf-8", "replace"))

    def wait(self) -> int:
        """Wait for its end, and return its exit code."""
        code = self._process.wait()
        if self._timer is not None:
            self._timer.cancel()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()
        return code

    def stop(self) -> None:
        """End it as on Ctrl-C, and kill it if it does not end."""
        self._process.terminate()
        if self._timer is None:
            self._timer = threading.Timer(_GRACE_SECONDS, self._kill)
            self._timer.daemon = True
            self._timer.start()

    def _kill(self) -> None:
        if self._process.poll() is not None:
            return
        if hasattr(os, "killpg"):
            os.killpg(self._process.pid, signal.SIGKILL)  # its workers, too
        else:
            self._process.kill()
