"""The messages between worker processes and the process that has started them: small, frozen and picklable."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from voxmatrix import errors
from voxmatrix.errors import Finding, MemoryExhaustedError, VoxmatrixError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, SpeakDevice, Warn
from voxmatrix.models.style import Output, Runtime, Style
from voxmatrix.speak.output import Speech
from voxmatrix.wording import summary

#: Called with the number of characters of every sentence that was spoken.
OnCharacters = Callable[[int], None]
#: Speaks a job into its file.
SpeakOne = Callable[["SpeakJob", OnCharacters], Speech]
#: Opens a voice for a worker. Must be a function of a module, since it is pickled by name.
Opening = Callable[["WorkerStart", Warn], AbstractContextManager[SpeakOne]]


@dataclass(frozen=True, kw_only=True)
class SpeakJob:
    """A text and its output file, which is overwritten."""

    text: str
    out: Path
    style: Style
    output: Output = field(default_factory=Output)
    whole: bool = False  # the text is one sentence already
    captions: bool = False  # the result has them


@dataclass(frozen=True, kw_only=True)
class WorkerStart:
    """The start parameters of a worker."""

    voice: VoiceCard
    style: Style  # of its first text: errors of it are found before any text is spoken
    runtime: Runtime
    scratch: Path  # for temporary files
    opening: Opening
    device: SpeakDevice = CPU
    at_once: int = 1  # texts that it speaks at once, in threads


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why a text was not spoken: a picklable error."""

    problem: str
    remedy: str
    exit_code: int


@dataclass(frozen=True, kw_only=True)
class VoiceOpened:
    """From a worker: ready for a text."""


@dataclass(frozen=True, kw_only=True)
class CharactersSpoken:
    """From a worker: progress of the text with this file."""

    out: Path
    count: int


@dataclass(frozen=True, kw_only=True)
class WorkerWarning:
    """From a worker: its device failed, and it continues without it."""

    finding: Finding


@dataclass(frozen=True, kw_only=True)
class JobEnded:
    """From a worker: the result of the text with this file or, without one, why it cannot open the voice."""

    result: Speech | Failure
    out: Path | None = None


Message = VoiceOpened | CharactersSpoken | WorkerWarning | JobEnded


def failure_of(error: Exception) -> Failure:
    """The failure that a worker reports for an error."""
    if isinstance(error, VoxmatrixError):
        return Failure(problem=error.problem, remedy=error.remedy, exit_code=error.exit_code)
    if isinstance(error, MemoryError):
        return out_of_memory("there is not enough memory for this text")
    return Failure(
        problem=summary(error),
        remedy="try this text alone (`text`); if it fails again, report a bug with this message",
        exit_code=VoxmatrixError.exit_code,
    )


def error_of(failure: Failure) -> VoxmatrixError:
    """The error that a failure stands for, where it ends the command."""
    kinds = {kind.exit_code: kind for kind in VoxmatrixError.__subclasses__() if kind.__module__ == errors.__name__}
    return kinds.get(failure.exit_code, VoxmatrixError)(failure.problem, failure.remedy)


def out_of_memory(problem: str) -> Failure:
    """The failure of a text that does not fit into memory."""
    return Failure(
        problem=problem,
        remedy="split the text into shorter sentences, or set `parallel_voices=1`",
        exit_code=MemoryExhaustedError.exit_code,
    )
