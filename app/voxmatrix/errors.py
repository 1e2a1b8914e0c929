"""Bad news, in two kinds: findings are collected and all shown; exceptions end a command with one exit code each."""

from dataclasses import dataclass
from typing import ClassVar, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something wrong that does not end the command by itself: the caller decides what is fatal."""

    problem: str
    remedy: str
    severity: Severity = "error"


class VoxmatrixError(Exception):
    """What is wrong, with the value seen and what follows from it; then what to type."""

    exit_code: ClassVar[int] = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}" if self.remedy else self.problem


class UsageError(VoxmatrixError):
    """A flag, a setting or a combination of them makes no sense."""

    exit_code = 2


class BadInputError(VoxmatrixError):
    """Recordings, text, a book or a voice cannot be used."""

    exit_code = 3


class NoDeviceError(VoxmatrixError):
    """The device that was demanded is not there."""

    exit_code = 4


class NoKernelsError(VoxmatrixError):
    """This torch has no kernels for the GPU."""

    exit_code = 5


class MemoryExhaustedError(VoxmatrixError):
    """Out of memory after every retreat."""

    exit_code = 6


class MissingProgramError(VoxmatrixError):
    """Something that must be installed is missing."""

    exit_code = 7


class UnreachableError(VoxmatrixError):
    """A service or a store (a broker, a full or read-only disk) cannot be reached or written."""

    exit_code = 8


class DamagedFileError(VoxmatrixError):
    """A file is damaged, was changed, or holds what must not be loaded."""

    exit_code = 9


class InterruptedRunError(VoxmatrixError):
    """The person or the container engine asked to stop; the work so far is saved and named."""

    exit_code = 130
