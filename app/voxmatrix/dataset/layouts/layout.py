"""The interface of a layout, and readers for its files."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.files import read_errors
from voxmatrix.transcripts.json_lines import read_json_lines
from voxmatrix.transcripts.lines import Problem, TranscriptRow, check_text, suffix_of
from voxmatrix.transcripts.table import read_table
from voxmatrix.transcripts.western import western

#: The rows of a folder's transcripts and their problems.
Transcript = tuple[list[TranscriptRow], list[Problem]]
JSON_SUFFIXES = (".jsonl", ".ndjson")
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A way to lay out recordings and their texts in a folder."""

    looks_like: str  # a short description for messages
    read: Callable[[Path], Transcript | None]  # the transcript of a folder, or None for a folder of another layout


def read_transcript(path: Path) -> Transcript:
    """Read one transcript file: JSON lines, a workbook, or a table by its lines.

    Raises:
        BadInputError: the file cannot be read, is not a text or a workbook, or its columns cannot be told.
    """
    with read_errors(path):
        data = path.read_bytes()
    suffix = suffix_of(path.name)
    if suffix == ".xlsx":
        from voxmatrix.transcripts.xlsx import read_xlsx

        return read_table(read_xlsx(data, path.name), path.name)
    check_text(data, path)
    decoded = western(data)
    read: Callable[[bytes, str], Transcript] = read_json_lines if suffix in (*JSON_SUFFIXES, ".json") else read_table
    rows, problems = read(data if decoded is None else decoded.encode(), path.name)
    return rows, problems if decoded is None else [*problems, _taken_for_western(decoded, path.name)]


def _taken_for_western(text: str, name: str) -> Problem:
    example = next((word for word in _WORD.findall(text) if not word.isascii()), "")
    return Problem(
        id=name,
        kind="bad-encoding",
        place=name,
        problem=f"it is not UTF-8; it was read as Windows writes it in Western Europe (cp1252): {example[:40]!r}",
        remedy="if that word is right, nothing is to be done; else save the file in UTF-8",
        severity="warning",
    )
