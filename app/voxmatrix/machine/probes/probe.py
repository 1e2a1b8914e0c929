"""Probes that may hang: each runs in its own thread and is abandoned after a timeout. Optional access to psutil."""

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from voxmatrix.errors import Finding

T = TypeVar("T")
_REMEDY = "the other facts are valid; to supply this one, describe this computer in a file and add `machine=FILE`"


class Probe(Generic[T]):
    """A started probe. A failure loses only its own fact, never the command or the other facts."""

    def __init__(self, subject: str, read: Callable[[], T], unknown: T, remedy: str = _REMEDY) -> None:
        self._subject = subject
        self._remedy = remedy
        self._answer = unknown
        self._error: Exception | None = None
        # A hanging driver call cannot be interrupted; a daemon thread does not keep the program from exiting.
        self._thread = threading.Thread(target=self._run, args=(read,), name=f"probe {subject}", daemon=True)
        self._unknown = unknown
        self._thread.start()

    def answer(self, timeout_seconds: float) -> tuple[T, tuple[Finding, ...]]:
        """The fact, or the `unknown` value with a note that says why."""
        self._thread.join(timeout_seconds)
        if self._thread.is_alive():
            return self._unknown, (self._note(f"no response within {timeout_seconds:g} s"),)
        if self._error is not None:
            return self._unknown, (self._note(f"{type(self._error).__name__}: {self._error}"),)
        return self._answer, ()

    def _run(self, read: Callable[[], T]) -> None:
        try:
            self._answer = read()
        except Exception as error:  # a driver library may raise anything; only this fact is lost
            self._error = error

    def _note(self, why: str) -> Finding:
        return Finding(
            severity="warning",
            problem=f"{self._subject} could not be read: {why}",
            remedy=self._remedy,
        )


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
