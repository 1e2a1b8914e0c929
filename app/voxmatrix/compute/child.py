"""A process of its own for what may hang or die on a device: placed, watched, ended in time, its words read."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxmatrix.machine.facts import Gpu

#: A driver that holds a process is not waited for longer than this after the process was killed.
_GRACE_SECONDS = 5
_LAST_WORDS = 300
#: How often what a child says is looked for.
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True)
class ChildPlacement:
    """Where a child computes: the device's name there, and the environment in which it has that name."""

    device: str
    environment: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class ChildResult:
    """What a child said, and how it came to its end. `code` is None where it had to be stopped."""

    said: str
    code: int | None
    ending: str  # why it is a bad end; "" for a good one


def place(gpu: Gpu | None) -> ChildPlacement:
    """Where a child has this GPU; None: the CPU."""
    environment = dict(os.environ)
    if gpu is None:
        return ChildPlacement(device="cpu", environment=environment)
    if gpu.kind == "cuda" and gpu.uuid:  # numbers depend on CUDA_VISIBLE_DEVICES and the order of the bus; this not
        return ChildPlacement(device="cuda:0", environment={**environment, "CUDA_VISIBLE_DEVICES": gpu.uuid})
    return ChildPlacement(device=gpu.device, environment={**environment, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"})


def run_child(
    words: Sequence[str],
    environment: dict[str, str],
    limit_seconds: float,
    *,
    on_line: Callable[[str], None] = lambda line: None,
    silence_seconds: float = math.inf,
) -> ChildResult:
    """Run Python with these words (`-m`, a module, its arguments), at most `limit_seconds` long.

    It is stopped as well when it said nothing for `silence_seconds`. `on_line` is told each line as it comes.
    """
    # Files, not pipes: a child that hangs in a driver may keep them open. One handle to write, another to read.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        said, complained = Path(folder) / "said", Path(folder) / "complained"
        with said.open("wb") as out, complained.open("wb") as err:
            command = [sys.executable, "-P", *words]
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment)
        lines = _Lines(said, on_line)
        try:
            late = _watch(child, lines, limit_seconds, silence_seconds)
        finally:
            child.kill()
            with suppress(subprocess.TimeoutExpired):  # stuck inside the driver: it is left behind, not waited for
                child.wait(_GRACE_SECONDS)
        lines.read()
        last_words = complained.read_bytes().decode("utf-8", "replace")
        text = said.read_bytes().decode("utf-8", "replace")
    code = None if late else child.returncode
    return ChildResult(said=text, code=code, ending=late or _ending(code or 0, last_words))


def _watch(child: "subprocess.Popen[bytes]", lines: "_Lines", limit_seconds: float, silence_seconds: float) -> str:
    """Wait for its end, and say why it must be stopped; "" when it ended by itself."""
    began = heard = time.monotonic()
    while True:
        now = time.monotonic()
        left = min(began + limit_seconds, heard + silence_seconds) - now
        if left <= 0:
            silent = heard + silence_seconds < began + limit_seconds
            why = (
                f"it said nothing for {silence_seconds:g} s" if silent else f"it did not end within {limit_seconds:g} s"
            )
            return f"{why} and was stopped"
        try:
            child.wait(min(left, _LOOK_SECONDS))
        except subprocess.TimeoutExpired:
            if lines.read():
                heard = time.monotonic()
        else:
            return ""


class _Lines:
    """Tells whole lines of a file that grows."""

    def __init__(self, path: Path, on_line: Callable[[str], None]) -> None:
        self._path = path
        self._on_line = on_line
        self._done = 0

    def read(self) -> bool:
        """Tell those that are new, and say whether there were any."""
        with self._path.open("rb") as file:
            file.seek(self._done)
            whole = file.read().rpartition(b"\n")[0]
        if not whole:
            return False
        self._done += len(whole) + 1
        for line in whole.decode("utf-8", "replace").splitlines():
            self._on_line(line)
        return True


def print_json(line: dict[str, Any]) -> None:
    """What a child says: one object on one line of standard output, at once, since it may not live to say more."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def json_objects(said: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among the lines; a library's chatter and a line cut short are none."""
    for line in said.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _ending(code: int, last_words: str) -> str:
    if code == 0:
        return ""
    last = next(reversed(last_words.strip().splitlines()), "")[:_LAST_WORDS]
    how = f"its process died of signal {-code}" if code < 0 else f"its process ended with code {code}"
    return f"{how}: {last}" if last else how
