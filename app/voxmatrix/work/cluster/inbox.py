"""Audio that workers have sent: fetched from the store, compared with what they said, and written to files."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from voxmatrix.errors import UnreachableError
from voxmatrix.files import replacing
from voxmatrix.speak.wav import HEADER_BYTES, header
from voxmatrix.work.cluster.messages import SpokenUnit
from voxmatrix.work.cluster.store import Store

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


class Inbox:
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
