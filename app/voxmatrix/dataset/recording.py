"""A recording as listed in its folder."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A sound file with its text and speaker, before the file is read."""

    id: str
    path: Path
    text: str
    speaker: str | None
    line: str  # e.g. "metadata.csv:12"
