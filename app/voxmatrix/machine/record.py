"""A computer as a JSON file: recorded on one machine, replayed on another."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from voxmatrix.files import write_text
from voxmatrix.machine.facts import Machine
from voxmatrix.machine.json_file import read_described

#: A described computer is a few kilobytes; what is larger than this is something else.
MOST_BYTES = 1024 * 1024


def read_machine(path: Path) -> Machine:
    """The computer that a file describes.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    from voxmatrix.machine import schema

    described = read_described(
        path,
        schema.Machine,
        most_bytes=MOST_BYTES,
        what="a described computer",
        remedy=f"mend that in {path}, or write a new one on the computer itself: "
        "voxmatrix doctor --record machine.json",
    )
    return described.to_facts()


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
