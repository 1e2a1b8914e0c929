"""Messages of the entry point on standard error: warnings, and its actions if VOXMATRIX_LOG is set."""

import os
import sys

from voxmatrix.config import LOG_VARIABLE
from voxmatrix.wording import printable

_QUIET = ("", "0", "off", "no", "false")


def is_verbose() -> bool:
    """Whether actions are logged, not only warnings."""
    return os.environ.get(LOG_VARIABLE, "").strip().lower() not in _QUIET


def write(line: str) -> None:
    """Write a line to standard error: standard output is for results."""
    sys.stderr.write(printable(f"voxmatrix: {line}\n"))
