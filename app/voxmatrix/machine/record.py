"""A computer as a JSON file: recorded on one machine, replayed on another."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from voxmatrix.files import write_text
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.json_file import read_described, shown


def read_machine(path: Path) -> Machine:
    """The computer that a file describes.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    mend = f"mend that in {path}, or write a new one on the computer itself: voxmatrix doctor --record machine.json"
    return read_described(path, Machine, _mistakes, remedy=mend)


def write_machine(machine: Machine, path: Path) -> None:
    """Replace `path` by the description of this computer.

    Raises:
        UnreachableError: the disk is full or the place cannot be written.
    """
    write_text(path, json.dumps(machine_to_json(machine), indent=2, ensure_ascii=False) + "\n")


def machine_to_json(machine: Machine) -> dict[str, Any]:
    """The object that `read_machine` understands: every fact, null where it could not be read."""
    described = asdict(machine)
    for row, gpu in zip(described["gpus"], machine.gpus, strict=True):
        row["capability"] = None if gpu.capability is None else str(gpu.capability)
    return described


def _mistakes(machine: Machine) -> Iterator[str]:
    counted = Counter(gpu.device for gpu in machine.gpus)
    if twice := [name for name, count in counted.items() if count > 1]:
        yield f"gpus has {', '.join(twice)} more than once"
    for place, name in enumerate(machine.torch.kernels if machine.torch else ()):
        if not re.fullmatch(r"(sm|compute)_[0-9]{2,4}[af]?", name):
            yield f"torch.kernels[{place}] is {shown(name)}, it must be a name such as sm_90"
