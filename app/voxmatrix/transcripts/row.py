"""One line of a transcript."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class TranscriptRow:
    """A line as it was read: whether its file exists and its text is usable is not checked yet."""

    line: str  # where it came from, e.g. "metadata.csv:12"
    file: str
    text: str
    speaker: str | None = None
