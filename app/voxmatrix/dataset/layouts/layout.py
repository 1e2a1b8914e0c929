"""What a layout is: a module with these two names."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.problem import Problem
from voxmatrix.transcripts.row import TranscriptRow

#: The rows of a folder's transcripts, and everything that is wrong with them.
Transcript = tuple[list[TranscriptRow], list[Problem]]


class Layout(Protocol):
    """A way to lay out recordings and their texts in a folder."""

    @property
    def LOOKS_LIKE(self) -> str:
        """The layout in a few words, for messages."""
        ...

    @property
    def read(self) -> Callable[[Path], Transcript | None]:
        """The transcript of a folder; None when the folder does not have this layout."""
        ...


def read_transcript(path: Path, read: Callable[[bytes, str], Transcript]) -> Transcript:
    """Read one transcript file.

    Raises:
        BadInputError: it cannot be read.
    """
    try:
        return read(path.read_bytes(), path.name)
    except OSError as error:
        raise BadInputError(f"{path} cannot be read: {error.strerror}", "make it readable for this user") from error
