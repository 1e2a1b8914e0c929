"""What psutil knows of this computer and its processes."""

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def ask_psutil(question: Callable[[Any], T]) -> T | None:
    """The answer to a question to the module psutil; None where it is not installed or this system does not say."""
    try:
        import psutil  # here, since most commands need nothing of it
    except ImportError:
        return None
    try:
        return question(psutil)
    except (psutil.Error, OSError):
        return None
