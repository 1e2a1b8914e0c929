"""The interface of a layout, and a reader for its files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.files import read_errors
from voxmatrix.transcripts.lines import Problem, TranscriptRow, check_text

#: The rows of a folder's transcripts and their problems.
Transcript = tuple[list[TranscriptRow], list[Problem]]


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A way to lay out recordings and their texts in a folder."""

    looks_like: str  # a short description for messages
    read: Callable[[Path], Transcript | None]  # the transcript of a folder, or None for a folder of another layout


def read_transcript(path: Path, read: Callable[[bytes, str], Transcript]) -> Transcript:
    """Read one transcript file.

    Raises:
        BadInputError: the file cannot be read, or is not a text.
    """
    with read_errors(path):
        data = path.read_bytes()
    check_text(data, path)
    return read(data, path.name)
