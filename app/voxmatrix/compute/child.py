"""Child processes for work that may hang or crash on a device: started on it, monitored, and killed after a timeout."""

import json
import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.child_environment import for_voxmatrix
from voxmatrix.machine.facts import Gpu
from voxmatrix.processes import describe_exit, start

#: How long to wait for a killed process, which a driver may keep alive.
_GRACE_SECONDS = 5
_MAX_STDERR_CHARACTERS = 300
#: Interval at which the output of a child is read.
_POLL_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class ChildPlacement:
    """The device of a child: its name in the child, and the environment in which that name is valid."""

    device: str
    environment: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class ChildResult:
    """The output and exit status of a child. `code` is None if the child was killed here."""

    stdout: str
    code: int | None
    failure: str  # what went wrong; "" for exit code 0


def place(gpu: Gpu | None, environment: Mapping[str, str] | None = None) -> ChildPlacement:
    """The placement of a child on this GPU; None is the CPU. `environment` is that of a command of ours by default."""
    environment = dict(for_voxmatrix() if environment is None else environment)
    if gpu is None:
        return ChildPlacement(device="cpu", environment=environment)
    if gpu.kind == "cuda" and gpu.uuid:  # unlike an index, independent of CUDA_VISIBLE_DEVICES and of bus order
        return ChildPlacement(device="cuda:0", environment={**environment, "CUDA_VISIBLE_DEVICES": gpu.uuid})
    return ChildPlacement(device=gpu.device, environment={**environment, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"})


def run_child(
    arguments: Sequence[str],
    environment: dict[str, str],
    limit_seconds: float,
    *,
    on_line: Callable[[str], None] = lambda line: None,
    silence_seconds: float = math.inf,
) -> ChildResult:
    """Run Python with these arguments (`-m`, a module, its arguments) for at most `limit_seconds`.

    The child is also killed after `silence_seconds` without output. `on_line` is called with each line as it arrives.
    """
    # Files, not pipes: a child that hangs in a driver may keep pipes open.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        stdout, stderr = Path(folder) / "stdout", Path(folder) / "stderr"
        with stdout.open("wb") as out, stderr.open("wb") as err:
            command = [sys.executable, "-P", *arguments]
            child = start(command, environment=environment, stdout=out, stderr=err)
        lines = _Lines(stdout, on_line)
        try:
            timeout = _wait(child, lines, limit_seconds, silence_seconds)
        finally:
            child.kill()
            with suppress(subprocess.TimeoutExpired):  # stuck in the driver: abandon it
                child.wait(_GRACE_SECONDS)
        lines.read()
        errors = stderr.read_bytes().decode("utf-8", "replace")
        output = stdout.read_bytes().decode("utf-8", "replace")
    code = None if timeout else child.returncode
    return ChildResult(stdout=output, code=code, failure=timeout or _failure(code or 0, errors))


def _wait(child: "subprocess.Popen[bytes]", lines: "_Lines", limit_seconds: float, silence_seconds: float) -> str:
    """Wait for the child to exit; return the reason if it must be killed, else ""."""
    started = last_output = time.monotonic()
    while True:
        now = time.monotonic()
        left = min(started + limit_seconds, last_output + silence_seconds) - now
        if left <= 0:
            silent = last_output + silence_seconds < started + limit_seconds
            nothing, late = f"printed nothing for {silence_seconds:g} s", f"did not finish within {limit_seconds:g} s"
            return f"it {nothing if silent else late} and was stopped"
        try:
            child.wait(min(left, _POLL_SECONDS))
        except subprocess.TimeoutExpired:
            if lines.read():
                last_output = time.monotonic()
        else:
            return ""


class _Lines:
    """Reads complete lines from a growing file."""

    def __init__(self, path: Path, on_line: Callable[[str], None]) -> None:
        self._path = path
        self._on_line = on_line
        self._done = 0

    def read(self) -> bool:
        """Pass new lines to `on_line`; return whether there were any."""
        with self._path.open("rb") as file:
            file.seek(self._done)
            complete = file.read().rpartition(b"\n")[0]
        if not complete:
            return False
        self._done += len(complete) + 1
        for line in complete.decode("utf-8", "replace").splitlines():
            self._on_line(line)
        return True


def send_json(line: dict[str, Any]) -> None:
    """Print one object on one line of standard output and flush, because the child may crash at any time."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among the lines; other output and truncated lines are skipped."""
    for line in text.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _failure(code: int, errors: str) -> str:
    if code == 0:
        return ""
    last = next(reversed(errors.strip().splitlines()), "")[:_MAX_STDERR_CHARACTERS]
    problem = f"its process {describe_exit(code)}"
    return f"{problem}: {last}" if last else problem
