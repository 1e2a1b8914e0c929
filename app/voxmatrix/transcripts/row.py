"""One line of a transcript."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TranscriptRow:
    """A parsed line, before any check of its file and text."""

    line: str  # e.g. "metadata.csv:12"
    file: str
    text: str
    speaker: str | None = None
