"""JSON objects, one a line, in a file that outlives its program: a line cut short is dropped by the next program."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voxmatrix.files import storage_errors, write_text


class JsonLines:
    """One object now and then, each with its "step". Going on from step N drops the lines after N."""

    def __init__(self, path: Path, step: int) -> None:
        """Open the file for what follows step `step`.

        Raises:
            UnreachableError: the disk is full or the place cannot be written.
        """
        write_text(path, "".join(f"{line}\n" for line in _lines(path) if _is_until(line, step)))
        self._path = path
        with storage_errors(path):
            # Not buffered: closing then has nothing left to write that could fail once more.
            self._file = path.open("ab", buffering=0)

    def write(self, row: Mapping[str, Any]) -> None:
        """Add a line; it is in the file when this returns.

        Raises:
            UnreachableError: the disk is full or the place cannot be written.
        """
        left = memoryview(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")
        with storage_errors(self._path):
            while left:  # a disk that is nearly full takes a part
                left = left[self._file.write(left) or 0 :]

    def close(self) -> None:
        """No lines follow."""
        self._file.close()


def _lines(path: Path) -> list[str]:
    """The whole lines of a file: the last one may be cut short by a power cut."""
    if not path.is_file():
        return []
    return path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]


def _is_until(line: str, step: int) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # nothing that we wrote
        return False
    there = row.get("step") if isinstance(row, dict) else None
    return type(there) is int and there <= step
