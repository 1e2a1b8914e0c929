"""Jobs that run beside the test."""

import threading
from pathlib import Path

from tests.work.cluster.processes import wait_until
from tests.work.cluster.tone_worker import tones
from voxmatrix.speak.options import SpeakSettings
from voxmatrix.work.executors.celery import CeleryExecutor
from voxmatrix.work.executors.local import LocalExecutor
from voxmatrix.work.job import JobOutcome, JobProgress, run_job
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.unit import Unit


class Job:
    """A job on a cluster, in a thread."""

    def __init__(self, broker: str, voice: Path, folder: Path, units: list[Unit], store: str = "") -> None:
        self._broker, self._voice, self._folder, self._units, self._store = broker, voice, folder, units, store
        self._done = 0
        self._outcome: JobOutcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def until(self, done: int) -> None:
        """Wait until so many units are done."""
        wait_until(lambda: self._done >= done or not self._thread.is_alive())

    def end(self) -> JobOutcome:
        self._thread.join(120)
        if self._error is not None:
            raise self._error
        assert self._outcome is not None, "the job did not end"
        return self._outcome

    def audio(self) -> dict[str, str]:
        """The checksum of the audio of every text."""
        return _audio(self._folder)

    def _run(self) -> None:
        try:
            with (
                open_ledger(self._folder) as ledger,
                CeleryExecutor(self._broker, self._voice, ledger.incoming, store=self._store) as executor,
            ):
                self._outcome = run_job(ledger, self._units, executor, self._progress)
        except BaseException as error:
            self._error = error

    def _progress(self, progress: JobProgress) -> None:
        self._done = progress.done


def run_to_the_end(broker: str, voice: Path, folder: Path, units: list[Unit]) -> None:
    """For a process of its own."""
    Job(broker, voice, folder, units).end()


def audio_alone(voice: Path, folder: Path, units: list[Unit]) -> dict[str, str]:
    """The same job on this computer, with the same voice."""
    with (
        open_ledger(folder) as ledger,
        LocalExecutor(voice, SpeakSettings(), ledger.incoming, workers=1, opening=tones) as executor,
    ):
        run_job(ledger, units, executor)
    return _audio(folder)


def _audio(folder: Path) -> dict[str, str]:
    with open_ledger(folder) as ledger:
        return {text: delivery.sha256 for text, delivery in ledger.deliveries()}
