"""A process of its own for what may hang or die on a device: placed, watched, ended in time, its words read."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.machine.facts import Gpu

#: A driver that holds a process is not waited for longer than this after the process was killed.
_GRACE_SECONDS = 5
_LAST_WORDS = 300


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a child computes: the device's name there, and the environment in which it has that name."""

    device: str
    environment: dict[str, str]


@dataclass(frozen=True, kw_only=True)
class Ended:
    """What a child said, and how it came to its end. `code` is None where it had to be stopped."""

    said: str
    code: int | None
    ending: str  # why it is a bad end; "" for a good one


def place(gpu: Gpu | None) -> Place:
    """Where a child has this GPU; None: the CPU."""
    # -P and this: the child imports the same app as we do, and no torch.py of the folder where a person stands.
    root = str(Path(__file__).resolve().parents[2])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    if gpu is None:
        return Place(device="cpu", environment=environment)
    if gpu.kind == "cuda" and gpu.uuid:  # numbers depend on CUDA_VISIBLE_DEVICES and the order of the bus; this not
        return Place(device="cuda:0", environment={**environment, "CUDA_VISIBLE_DEVICES": gpu.uuid})
    return Place(device=gpu.device, environment={**environment, "CUDA_DEVICE_ORDER": "PCI_BUS_ID"})


def run_child(words: Sequence[str], environment: dict[str, str], limit_seconds: float) -> Ended:
    """Run Python with these words (`-m`, a module, its arguments), at most `limit_seconds` long."""
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        command = [sys.executable, "-P", *words]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=complained, env=environment)
        try:
            code: int | None = child.wait(limit_seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            child.kill()
            with suppress(subprocess.TimeoutExpired):  # stuck inside the driver: it is left behind, not waited for
                child.wait(_GRACE_SECONDS)
        said.seek(0)
        complained.seek(0)
        lines, last_words = said.read().decode("utf-8", "replace"), complained.read().decode("utf-8", "replace")
    return Ended(said=lines, code=code, ending=_ending(code, limit_seconds, last_words))


def objects(said: str) -> Iterator[dict[str, Any]]:
    """The JSON objects among the lines; a library's chatter and a line cut short are none."""
    for line in said.splitlines():
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(row, dict):
            yield row


def _ending(code: int | None, limit_seconds: float, last_words: str) -> str:
    if code is None:
        return f"it did not end within {limit_seconds:g} s and was stopped"
    if code == 0:
        return ""
    last = next(reversed(last_words.strip().splitlines()), "")[:_LAST_WORDS]
    how = f"its process died of signal {-code}" if code < 0 else f"its process ended with code {code}"
    return f"{how}: {last}" if last else how
