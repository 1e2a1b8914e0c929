"""A computer as a JSON file: recorded on one machine, replayed on another."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import BadInputError
from app.files import read_errors, write_text
from app.machine.facts import Machine

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

#: A described computer is a few kilobytes; what is larger than this is something else.
MOST_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # PowerShell's editors write one
_MOST_LETTERS_SHOWN = 60


def read_machine(path: Path) -> Machine:
    """The computer that a file describes.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    with read_errors(path), path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise _wrong(path, f"is larger than {MOST_BYTES // 1024} KiB, and a described computer is a few KiB")
    return _parse(path, content.removeprefix(_BYTE_ORDER_MARK))


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


def _parse(path: Path, content: bytes) -> Machine:
    import pydantic

    from app.machine import schema

    try:
        return schema.Machine.model_validate_json(content).to_facts()
    except pydantic.ValidationError as error:
        complaints = [_complaint(detail) for detail in error.errors(include_url=False)]
        raise _wrong(path, "; ".join(complaints[:5])) from error


def _complaint(detail: "ErrorDetails") -> str:
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]).lstrip(".")
    match detail["type"]:
        case "json_invalid":
            return f"is no JSON: {detail['ctx']['error']}" if "ctx" in detail else "is no JSON"
        case "extra_forbidden":
            return f"has a key that is not known: {_shown(key, quoted=False)}"
        case "missing":
            return f"lacks the key {key}"
        case "value_error" if not key:
            return detail["msg"].removeprefix("Value error, ")
        case _:
            said = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
            return f"{key or 'all of it'} is {_shown(detail['input'])}, it {said}"


def _shown(value: object, quoted: bool = True) -> str:
    text = ascii(value) if quoted else ascii(value)[1:-1]
    return text if len(text) <= _MOST_LETTERS_SHOWN else f"{text[:_MOST_LETTERS_SHOWN]}…"


def _wrong(path: Path, complaint: str) -> BadInputError:
    return BadInputError(
        f"{path}: {complaint}",
        f"mend that in {path}, or write a new one on the computer itself: voxmatrix doctor --record machine.json",
    )
