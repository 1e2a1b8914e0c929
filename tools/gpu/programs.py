"""Run programs with a time limit, and end them with all that they have started."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import psutil


class Done(NamedTuple):
    """A program that has ended; `code` is None if it was killed at its limit."""

    code: int | None
    out: str
    err: str
    seconds: float

    @property
    def json(self) -> Any:
        """The JSON object that it printed: all of its output, or its last such line; None if there is none."""
        for text in (self.out, *reversed(self.out.strip().splitlines())):
            with suppress(ValueError):
                found = json.loads(text)
                if isinstance(found, dict):
                    return found
        return None

    def about(self, characters: int = 600) -> dict[str, Any]:
        """Its end as a result."""
        return {"exit": self.code, "seconds": self.seconds, "stderr": self.err[-characters:]}


def start(command: Sequence[str], **options: Any) -> "subprocess.Popen[str]":
    """Start a program, whose output can be read unless `options` of Popen say otherwise."""
    return subprocess.Popen(command, text=True, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})


def run(
    command: Sequence[str], seconds: float, *, env: Mapping[str, str] | None = None, cwd: Path | None = None
) -> Done:
    """Run a program, for `seconds` at most."""
    began = time.monotonic()
    process = start(command, env={**os.environ, **(env or {})}, cwd=cwd)
    code: int | None
    try:
        out, err = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        kill(process)
        out, err = process.communicate()
        code = None
    return Done(code, out, err, round(time.monotonic() - began, 2))


def kill(process: "subprocess.Popen[str]") -> None:
    """Kill a program and all that it has started."""
    with suppress(psutil.NoSuchProcess):
        started = psutil.Process(process.pid)
        for one in (*started.children(recursive=True), started):
            with suppress(psutil.NoSuchProcess):
                one.kill()
