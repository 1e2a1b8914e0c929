"""A log of JSON objects, one per line. A truncated last line is dropped when the file is opened again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voxmatrix.files import storage_errors, write_text


class JsonLines:
    """A file of objects, each with a "step". Resuming from step N drops the lines after N."""

    def __init__(self, path: Path, step: int) -> None:
        """Open the file for lines after step `step`.

        Raises:
            UnreachableError: the disk is full or not writable.
        """
        write_text(path, "".join(f"{line}\n" for line in _lines(path) if _is_until(line, step)))
        self._path = path
        with storage_errors(path):
            # Unbuffered, so that closing has nothing left to write and cannot fail again.
            self._file = path.open("ab", buffering=0)

    def write(self, row: Mapping[str, Any]) -> None:
        """Append a line, unbuffered.

        Raises:
            UnreachableError: the disk is full or not writable.
        """
        rest = memoryview(json.dumps(row, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n")
        with storage_errors(self._path):
            while rest:  # a nearly full disk may accept only a part
                rest = rest[self._file.write(rest) or 0 :]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _lines(path: Path) -> list[str]:
    """The complete lines of a file: a power cut may have truncated the last one."""
    if not path.is_file():
        return []
    return path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]


def _is_until(line: str, step: int) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):  # not written by us
        return False
    row_step = row.get("step") if isinstance(row, dict) else None
    return type(row_step) is int and row_step <= step
