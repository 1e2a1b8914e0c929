"""Text as a kernel, a driver or an environment gives it."""

from pathlib import Path


def read_text(path: Path) -> str:
    """What stands in a file; nothing when it is not there or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def printable(text: str) -> str | None:
    """One line that a terminal and a described computer may hold; None when nothing is left of it."""
    return "".join(letter for letter in text if letter.isprintable()).strip()[:200] or None
