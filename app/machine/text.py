"""Small text files of the kernel."""

from pathlib import Path


def read_text(path: Path) -> str:
    """What stands in a file; nothing when it is not there or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
