"""One recording as its folder names it, before anything is known of its sound."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A file, what is said in it, and by whom."""

    id: str
    path: Path
    text: str
    speaker: str | None
    line: str  # where it came from, e.g. "metadata.csv:12"
