"""Computers as JSON files: recorded on one machine, replayed on another."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from voxmatrix.files import write_text
from voxmatrix.machine.facts import DRIVER_ERROR, KERNEL, Machine
from voxmatrix.machine.json_file import read_described, shown


def read_machine(path: Path) -> Machine:
    """The computer described by a file.

    Raises:
        BadInputError: the file cannot be read, or a key is missing, unknown or has an impossible value.
    """
    remedy = f"fix {path}, or record it again on the computer itself: voxmatrix doctor --record machine.json"
    return read_described(path, Machine, _mistakes, remedy)


def write_machine(machine: Machine, path: Path) -> None:
    """Write the description of this computer to `path`.

    Raises:
        UnreachableError: the disk is full or the path cannot be written.
    """
    write_text(path, json.dumps(machine_to_json(machine), indent=2, ensure_ascii=False) + "\n")


def machine_to_json(machine: Machine) -> dict[str, Any]:
    """The object that `read_machine` reads: every fact, null if it could not be read."""
    described = asdict(machine)
    for row, gpu in zip(described["gpus"], machine.gpus, strict=True):
        row["capability"] = None if gpu.capability is None else str(gpu.capability)
    return described


def _mistakes(machine: Machine) -> Iterator[str]:
    counted = Counter(gpu.device for gpu in machine.gpus)
    if twice := [name for name, count in counted.items() if count > 1]:
        yield f"gpus lists {', '.join(twice)} more than once"
    if machine.driver_error and not re.fullmatch(DRIVER_ERROR, machine.driver_error):
        yield f"driver_error is {shown(machine.driver_error)}, it must be an error such as nvml 18"
    for index, name in enumerate(machine.torch.kernels if machine.torch else ()):
        if not re.fullmatch(KERNEL, name):
            yield f"torch.kernels[{index}] is {shown(name)}, it must be a name such as sm_90, gfx1100 or bmg"
