"""Optional access to psutil."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def ask_psutil(query: Callable[[Any], T]) -> T | None:
    """The result of `query(psutil)`; None if psutil is not installed or the system does not provide the value."""
    try:
        import psutil  # here, because most commands do not need it
    except ImportError:
        return None
    try:
        return query(psutil)
    except (psutil.Error, OSError):
        return None
