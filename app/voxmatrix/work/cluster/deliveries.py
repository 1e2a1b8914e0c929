"""What workers deliver of the batches that they were sent: each unit once, and only with the audio that they said.

Audio is fetched from the store, compared with what they said, and written to files.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from voxmatrix.errors import DamagedFileError, UnreachableError
from voxmatrix.files import replacing
from voxmatrix.speak.wav import HEADER_BYTES, header
from voxmatrix.work.cluster.messages import BatchReport, SpokenUnit, audio_name
from voxmatrix.work.cluster.store import Store
from voxmatrix.work.cluster.tasks import SentTask, remote_failure
from voxmatrix.work.executor import UnitFailed, UnitSpoken, WorkEvent
from voxmatrix.work.unit import Unit

#: Sentences whose audio is fetched in one round trip.
FETCHED = 16
_WRITERS = 8


class UnwritableError(UnreachableError):
    """The folder for finished files cannot be written: to try again does not help, as it may with a store."""


class SentAudio(NamedTuple):
    """The audio of a unit."""

    unit: SpokenUnit
    name: str  # in the store
    path: Path  # where it is to be written


class AudioFetcher:
    """Fetches audio. To flush a file to the disk takes longer than all the rest, so several are flushed at once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._writing = ThreadPoolExecutor(_WRITERS, thread_name_prefix="write")

    def fetch(self, sent: Sequence[SentAudio]) -> list[str]:
        """Write what is as the worker said; say of each what is wrong with it, or "".

        Raises:
            UnreachableError: the store does not answer.
            UnwritableError: a file cannot be written.
        """
        if not sent:
            return []
        found = self._store.get([(audio.name, HEADER_BYTES + 2 * audio.unit.samples) for audio in sent])
        return list(self._writing.map(_write, sent, found))

    def delete(self, names: Sequence[str]) -> None:
        """Delete audio from the store. Where it does not answer, audio expires."""
        with suppress(UnreachableError):
            self._store.delete(names)

    def close(self) -> None:
        """End the threads."""
        self._writing.shutdown()


def _write(audio: SentAudio, data: bytes | None) -> str:
    problem = _problem(audio.unit, data)
    if not problem:
        try:
            with replacing(audio.path) as file:
                file.write(data or b"")
        except UnreachableError as error:
            raise UnwritableError(error.problem, error.remedy) from error
    return problem


def _problem(unit: SpokenUnit, data: bytes | None) -> str:
    """What is wrong with the audio of a unit; "" if nothing is."""
    if data is None:
        return "is not in the store"
    if len(data) != HEADER_BYTES + 2 * unit.samples or not data.startswith(header(unit.rate_hz, 2 * unit.samples)):
        return "does not have the reported length and format"
    return "" if sha256(data).hexdigest() == unit.sha256 else "was damaged on its way"


class Deliveries:
    """The audio of one run."""

    def __init__(self, store: Store, run: str, incoming: Path) -> None:
        """Finished files are left in the folder `incoming`."""
        self._inbox, self._run, self._incoming = AudioFetcher(store), run, incoming
        self._wanted: set[str] = set()  # keys of units that nobody has delivered yet

    def want(self, units: Iterable[Unit]) -> None:
        """Audio of these is fetched when it is reported."""
        self._wanted |= {unit.key for unit in units}

    def spoken(self, task: SentTask, report: BatchReport) -> Iterator[WorkEvent]:
        """The units of a batch that are reported for the first time, one by one as their audio is written.

        Raises:
            UnreachableError: the store does not answer.
            UnwritableError: a file cannot be written.
        """
        by_index = {unit.index: unit for unit in report.spoken if unit.index < len(task.units)}
        new = [unit for index, unit in by_index.items() if index not in task.reported]
        for start in range(0, len(new), FETCHED):
            yield from self._fetch(task, new[start : start + FETCHED])

    def close(self) -> None:
        """Write what was fetched."""
        self._inbox.close()

    def _fetch(self, task: SentTask, spoken: Sequence[SpokenUnit]) -> Iterator[WorkEvent]:
        """Fetch the audio of units that nobody has delivered yet. Of the others, only the worker is interesting."""
        sent = [
            SentAudio(unit, audio_name(self._run, task.name, unit.index), self._path(task, unit))
            for unit in spoken
            if task.units[unit.index].key in self._wanted
        ]
        problems = dict(zip((audio.unit.index for audio in sent), self._inbox.fetch(sent), strict=True))
        for unit in spoken:
            task.reported.add(unit.index)
            yield self._event(task, unit, problems.get(unit.index, ""))
        self._inbox.delete([audio_name(self._run, task.name, unit.index) for unit in spoken])

    def _event(self, task: SentTask, unit: SpokenUnit, problem: str) -> WorkEvent:
        key = task.units[unit.index].key
        if problem:
            failure = remote_failure(f"the audio that {task.worker} sent {problem}", DamagedFileError.exit_code)
            return UnitFailed(worker=task.worker, key=key, failure=failure)
        self._wanted.discard(key)
        return UnitSpoken(
            worker=task.worker,
            key=key,
            path=self._path(task, unit),
            wall_seconds=unit.wall_seconds,
            samples=unit.samples,
            rate_hz=unit.rate_hz,
            sentences=unit.sentences,
            findings=unit.findings,
            computed=unit.computed,
        )

    def _path(self, task: SentTask, unit: SpokenUnit) -> Path:
        return self._incoming / f"{task.worker}-{task.units[unit.index].key}.wav"
