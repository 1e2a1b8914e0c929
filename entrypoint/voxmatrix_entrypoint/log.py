"""What the entrypoint says on standard error: warnings always, what it did only where VOXMATRIX_LOG is set."""

import os
import sys

VARIABLE = "VOXMATRIX_LOG"
_QUIET = ("", "0", "off", "no", "false")


def is_asked() -> bool:
    """Whether a person wants to read what was done."""
    return os.environ.get(VARIABLE, "").strip().lower() not in _QUIET


def say(line: str) -> None:
    """Write one line; standard output stays what programs read."""
    sys.stderr.write(f"voxmatrix: {line}\n")
