"""What travels through the broker, as values that pydantic checks: batches to workers, and reports about them."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from voxmatrix.errors import Finding
from voxmatrix.speak.batch.messages import Failure

#: Units of one message. So what is read for progress stays small, and Redis never holds much audio of a worker.
UNITS_PER_MESSAGE = 50
#: Voices of one message besides its own: a book has fewer characters.
MAX_CAST = 1000
#: A WAV file holds no more of them, at 16 bits: 12 hours at 48 kHz.
_MAX_SAMPLES = 2**31

_Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Word = Annotated[str, Field(pattern=r"^[0-9A-Za-z-]{1,64}$")]


@dataclass(frozen=True, kw_only=True)
class SharedFile:
    """A file of a voice."""

    name: Annotated[str, Field(pattern=r"^[^/\\\x00.][^/\\\x00]{0,199}$")]
    sha256: _Digest
    size: Annotated[int, Field(ge=0, lt=2**40)]  # in bytes


@dataclass(frozen=True, kw_only=True)
class SharedVoice:
    """A voice in the store. The first file is the one to open; the others stand beside it."""

    checksum: _Digest  # the digest of its card
    files: Annotated[tuple[SharedFile, ...], Field(min_length=1, max_length=16)]


@dataclass(frozen=True, kw_only=True)
class SpeechBatch:
    """Units for one worker, in the order in which they are to be spoken."""

    run: _Word  # of the coordinator
    incarnation: _Word  # the start of the worker that it is meant for: a later one drops it
    voice: SharedVoice
    units: Annotated[tuple[tuple[str, str], ...], Field(min_length=1, max_length=UNITS_PER_MESSAGE)]  # text, options
    cast: Annotated[tuple[SharedVoice, ...], Field(max_length=MAX_CAST)] = ()  # other voices that the options name


@dataclass(frozen=True, kw_only=True)
class SpokenUnit:
    """The audio of a unit is in the store."""

    index: Annotated[int, Field(ge=0, lt=UNITS_PER_MESSAGE)]  # in the batch
    wall_seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    samples: Annotated[int, Field(gt=0, le=_MAX_SAMPLES)]
    rate_hz: Annotated[int, Field(ge=8000, le=192_000)]
    sha256: _Digest
    sentences: Annotated[int, Field(ge=1)] = 1
    findings: Annotated[tuple[Finding, ...], Field(max_length=10_000)] = ()
    computed: Annotated[str, Field(max_length=100)] = ""  # how, where that changes what is heard


@dataclass(frozen=True, kw_only=True)
class FailedUnit:
    """A unit could not be spoken."""

    index: Annotated[int, Field(ge=0, lt=UNITS_PER_MESSAGE)]
    failure: Failure


#: `speaking`: the batch continues. `done`: every unit was spoken, failed or cancelled. `stopped`: the worker ends.
#: `dropped`: nobody waits for the batch, as far as the worker can see. `unusable`: it cannot speak this voice.
BatchState = Literal["speaking", "done", "stopped", "dropped", "unusable"]


@dataclass(frozen=True, kw_only=True)
class BatchReport:
    """How far a batch is: everything since its beginning, so that it does not matter which report is read."""

    state: BatchState
    spoken: Annotated[tuple[SpokenUnit, ...], Field(max_length=UNITS_PER_MESSAGE)] = ()
    failed: Annotated[tuple[FailedUnit, ...], Field(max_length=UNITS_PER_MESSAGE)] = ()
    failure: Failure | None = None  # why it is unusable


def read_batch(message: Any) -> SpeechBatch:
    """Parse a message.

    Raises:
        ValueError: it is not a batch.
    """
    return _batches().validate_python(message)


def read_report(message: Any) -> BatchReport:
    """Parse a report.

    Raises:
        ValueError: it is not a report.
    """
    return _reports().validate_python(message)


def to_message(value: SpeechBatch | BatchReport) -> Any:
    """The value as JSON."""
    adapter: TypeAdapter[Any] = _batches() if isinstance(value, SpeechBatch) else _reports()
    return adapter.dump_python(value, mode="json")


def audio_name(run: str, task: str, index: int) -> str:
    """The name in the store of the audio of a unit."""
    return f"audio/{run}/{task}/{index}.wav"


@cache
def _batches() -> TypeAdapter[SpeechBatch]:
    return TypeAdapter(SpeechBatch)


@cache
def _reports() -> TypeAdapter[BatchReport]:
    return TypeAdapter(BatchReport)
