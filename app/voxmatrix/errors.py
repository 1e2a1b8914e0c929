"""Findings, which are collected and shown together, and exceptions, each of which ends a command with its exit code."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from voxmatrix.wording import plain

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A problem that does not end the command by itself: the caller decides what is fatal."""

    problem: str
    remedy: str
    severity: Severity = "error"


class ProgramWarning(RuntimeWarning):
    """Another program complained of something, and ended well all the same."""


class VoxmatrixError(Exception):
    """Base of all errors: the problem, with the value seen and what follows from it, and the remedy, what to do.

    Both name settings as `wording` says.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return plain(f"{self.problem}\n{self.remedy}" if self.remedy else self.problem)


class UsageError(VoxmatrixError):
    """An option, a setting or a combination of them is invalid."""

    exit_code = 2


class SettingsFileError(UsageError):
    """A file of settings in the home is not valid: it concerns no value that was just given."""


class BadInputError(VoxmatrixError):
    """Recordings, a text, a book or a voice cannot be used."""

    exit_code = 3


class NoDeviceError(VoxmatrixError):
    """The requested device is not available."""

    exit_code = 4


class NoKernelsError(VoxmatrixError):
    """This build of torch has no kernels for the GPU."""

    exit_code = 5


class MemoryExhaustedError(VoxmatrixError):
    """Out of memory, after every fallback was tried."""

    exit_code = 6


class MissingProgramError(VoxmatrixError):
    """A required program or package is not installed."""

    exit_code = 7


class UnreachableError(VoxmatrixError):
    """A service cannot be reached (a broker), or storage cannot be written (a full or read-only disk)."""

    exit_code = 8


class DamagedFileError(VoxmatrixError):
    """A file is corrupt, was modified, or contains something that must not be loaded."""

    exit_code = 9


class InterruptedRunError(VoxmatrixError):
    """The user or the container engine stopped the command; the work so far is saved, and the message says where."""

    exit_code = 130
