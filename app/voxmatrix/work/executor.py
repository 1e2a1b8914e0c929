"""What a job needs of an executor, and the events by which it hears of its workers."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from voxmatrix.errors import Finding
from voxmatrix.speak.batch.messages import Failure
from voxmatrix.speak.captions import Caption
from voxmatrix.work.unit import Unit


@dataclass(frozen=True, kw_only=True)
class WorkerJoined:
    """A worker is ready; one that is already known has restarted and holds nothing."""

    worker: str
    speed: float | None = None  # in seconds of audio per second, if it is known
    at_once: int = 1  # units that it speaks at once
    failure: Failure | None = None  # it had left without one, and died, as is known only now


@dataclass(frozen=True, kw_only=True)
class WorkerLeft:
    """A worker is gone, with everything that it held. Without a failure it was stopped, or is only not heard."""

    worker: str
    failure: Failure | None = None
    possible_causes: tuple[str, ...] = ()  # the keys of the units of which it spoke one, as far as known; in order


@dataclass(frozen=True, kw_only=True)
class UnitSpoken:
    """A worker has spoken a unit: its audio, one channel of 16 bit, is complete in a file, which is now the job's."""

    worker: str
    key: str
    path: Path  # WAV
    wall_seconds: float  # that the worker took
    samples: int
    rate_hz: int
    sentences: int = 1
    findings: tuple[Finding, ...] = ()  # what was left out
    computed: str = ""  # how, where that changes what is heard
    captions: tuple[Caption, ...] = ()  # if the unit wants some, and the workers are processes of this computer


@dataclass(frozen=True, kw_only=True)
class UnitFailed:
    """A worker could not speak a unit, and continues with the next one."""

    worker: str
    key: str
    failure: Failure


@dataclass(frozen=True, kw_only=True)
class UnitProgress:
    """A worker has spoken further characters of a unit."""

    key: str
    characters: int


WorkEvent = WorkerJoined | WorkerLeft | UnitSpoken | UnitFailed | UnitProgress


class Executor(Protocol):
    """Workers that speak batches of units. Used by one thread.

    Results may come late, twice, or from workers that were believed dead: they are addressed by the key of the unit.
    """

    #: What a batch costs a worker in addition to speaking, in seconds.
    overhead_seconds: float

    def submit(self, worker: str, units: Sequence[Unit]) -> None:
        """Give a worker a batch, to be spoken in this order after those that it has. It may be gone already."""
        ...

    def results(self, timeout_seconds: float) -> list[WorkEvent]:
        """What has happened since the last call. Waits for something to happen, but no longer than this.

        Raises:
            VoxmatrixError: no worker is left, and none will come.
        """
        ...

    def cancel(self, worker: str, keys: Sequence[str]) -> None:
        """A worker need not speak these units any more. It may still do so, e.g. because it has begun."""
        ...

    def replace(self, worker: str, failure: Failure) -> None:
        """A worker has been silent for very long: end it, if that is possible, and start another one.

        It leaves with this failure.
        """
        ...

    def last_results(self) -> list[WorkEvent]:
        """`results` after an interruption. Workers of this process end first, so that nothing comes after them.

        Raises:
            VoxmatrixError: no worker is left.
        """
        ...

    def close(self) -> None:
        """Let go of the workers, and lose what they have not reported."""
        ...


#: Starts workers, no more of them than this number of units; they leave finished files in the folder.
Workers = Callable[[Path, int], AbstractContextManager[Executor]]
