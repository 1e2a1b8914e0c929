"""Jobs that run beside the test."""

import threading
import time
from pathlib import Path

from tests.toys.family import voice_of
from tests.work.cluster.processes import wait_until
from voxmatrix.errors import Finding
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Runtime, Style
from voxmatrix.work.cluster.celery_executor import CeleryExecutor
from voxmatrix.work.executor import UnitFailed, UnitSpoken, WorkEvent
from voxmatrix.work.job import JobOutcome, JobProgress, run_job
from voxmatrix.work.ledger import open_ledger
from voxmatrix.work.local_executor import LocalExecutor
from voxmatrix.work.unit import Unit, unit_of

#: Longer than any job of a test takes, also on a computer that is busy.
END_SECONDS = 300.0


def write_voice(folder: Path) -> VoiceCard:
    """A voice that costs nothing."""
    return voice_of(folder / "anna.tones")


def some_sentences(voice: VoiceCard, count: int, text: str = "") -> list[Unit]:
    """Different sentences for a voice."""
    text = text or "A sentence that has some words, and the number"
    return [unit_of(f"{text} {number}", voice.digest, Style()) for number in range(count)]


class _Witnessed(CeleryExecutor):
    """Keeps the events."""

    events: list[WorkEvent]

    def results(self, timeout_seconds: float) -> list[WorkEvent]:
        found = super().results(timeout_seconds)
        self.events += found
        return found


class Job:
    """A job on a cluster, in a thread."""

    def __init__(self, broker: str, voice: VoiceCard, folder: Path, units: list[Unit], store: str = "") -> None:
        self._broker, self._voice, self._folder, self._units, self._store = broker, voice, folder, units, store
        self._done = 0
        self.events: list[WorkEvent] = []
        #: What its user would read. On a busy computer a worker starts so slowly that it says it waits for one.
        self.findings: list[Finding] = []
        #: How long it took, when it has ended.
        self.seconds = 0.0
        self._outcome: JobOutcome | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def again(self) -> "Job":
        """The same job, which goes on with what is done."""
        return Job(self._broker, self._voice, self._folder, self._units, self._store)

    def until(self, done: int) -> None:
        """Wait until this many units are done."""
        wait_until(lambda: self._done >= done or not self._thread.is_alive())

    def wait(self, seconds: float) -> None:
        """Wait for some time, or until it has ended."""
        self._thread.join(seconds)

    @property
    def ended(self) -> bool:
        return not self._thread.is_alive()

    @property
    def delivered_again(self) -> int:
        """Results for units that were delivered already."""
        keys = [event.key for event in self.events if isinstance(event, UnitSpoken)]
        return len(keys) - len(set(keys))

    @property
    def failures(self) -> int:
        """Units that failed, or whose audio was damaged."""
        return sum(isinstance(event, UnitFailed) for event in self.events)

    def end(self) -> JobOutcome:
        self._thread.join(END_SECONDS)
        if self._error is not None:
            raise self._error
        assert self._outcome is not None, "the job did not end"
        return self._outcome

    def audio(self) -> dict[str, str]:
        """The checksum of the audio of every text."""
        return _audio(self._folder)

    def _run(self) -> None:
        began = time.monotonic()
        try:
            with (
                open_ledger(self._folder) as ledger,
                _Witnessed(
                    self._broker, self._voice, ledger.incoming, store=self._store, warn=self.findings.append
                ) as executor,
            ):
                executor.events = self.events
                self._outcome = run_job(ledger, self._units, executor, self._progress)
                self.seconds = time.monotonic() - began
        except BaseException as error:
            self._error = error

    def _progress(self, progress: JobProgress) -> None:
        self._done = progress.done


def audio_alone(voice: VoiceCard, folder: Path, units: list[Unit]) -> dict[str, str]:
    """The same job on this computer, with the same voice."""
    with (
        open_ledger(folder) as ledger,
        LocalExecutor(voice, Style(), ledger.incoming, Runtime(), workers=1) as executor,
    ):
        run_job(ledger, units, executor)
    return _audio(folder)


def _audio(folder: Path) -> dict[str, str]:
    with open_ledger(folder) as ledger:
        return {text: delivery.sha256 for text, delivery in ledger.deliveries()}
