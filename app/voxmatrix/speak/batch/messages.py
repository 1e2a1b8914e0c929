"""What a worker is told and what it says: small, frozen, picklable."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.errors import Finding, MemoryExhaustedError, VoxmatrixError
from voxmatrix.speak.device import CPU, SpeakDevice, Warn
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.speak.output import Speech

#: Called with the letters of every sentence that was spoken.
OnLetters = Callable[[int], None]
#: Speaks one job into its file.
SpeakOne = Callable[["SpeakJob", OnLetters], Speech]
#: Opens what a worker speaks with, and warns. A function of a module: its name is what goes to the other process.
Opening = Callable[["WorkerStart", Warn], AbstractContextManager[SpeakOne]]


@dataclass(frozen=True, kw_only=True)
class SpeakJob:
    """One text and where it goes."""

    index: int  # in the batch
    text: str
    out: Path
    settings: SpeakSettings


@dataclass(frozen=True, kw_only=True)
class WorkerStart:
    """How a worker begins."""

    voice: Path
    settings: SpeakSettings  # what all texts share; `threads` are those of this worker
    scratch: Path  # for files that do not outlive the batch
    opening: Opening
    device: SpeakDevice = CPU


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a text was not spoken, in what is left of an error on its way between processes."""

    problem: str
    remedy: str
    exit_code: int


@dataclass(frozen=True, kw_only=True)
class VoiceOpened:
    """A worker says: give me a text."""


@dataclass(frozen=True, kw_only=True)
class LettersSpoken:
    """A worker says: so many more letters of my text are spoken."""

    count: int


@dataclass(frozen=True, kw_only=True)
class WorkerWarning:
    """A worker says: my device failed, and I go on without it."""

    finding: Finding


@dataclass(frozen=True, kw_only=True)
class JobEnded:
    """A worker says what became of its text, or, before it was given any, why it cannot open the voice."""

    result: Speech | Failure


Message = VoiceOpened | LettersSpoken | WorkerWarning | JobEnded


def failure_of(error: Exception) -> Failure:
    """An error as a worker tells it."""
    if isinstance(error, VoxmatrixError):
        return Failure(problem=error.problem, remedy=error.remedy, exit_code=error.exit_code)
    if isinstance(error, MemoryError):
        return out_of_memory("there is not enough memory for this text")
    return Failure(
        problem=f"{type(error).__name__}: {error}".splitlines()[0][:300],
        remedy="speak this text alone (--text) to see whether it is the text; if it is, report it with this line",
        exit_code=VoxmatrixError.exit_code,
    )


def out_of_memory(problem: str) -> Failure:
    """The failure of a text that needs more memory than there is."""
    return Failure(
        problem=problem,
        remedy="divide the text into shorter sentences, or speak fewer side by side: --parallel-voices 1",
        exit_code=MemoryExhaustedError.exit_code,
    )
