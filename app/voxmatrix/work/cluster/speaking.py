"""Speak a batch: the work of a worker, in the process that has the voices open."""

import logging
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from voxmatrix.errors import UnreachableError
from voxmatrix.files import digest
from voxmatrix.speak.batch.messages import Failure, SpeakJob, SpeakOne, failure_of
from voxmatrix.work.cluster.messages import (
    BatchReport,
    BatchState,
    FailedUnit,
    SpeechBatch,
    SpokenUnit,
    audio_name,
)
from voxmatrix.work.cluster.notices import Notices, SpeakerStatus
from voxmatrix.work.cluster.open_voices import OpenVoices
from voxmatrix.work.cluster.run_key import LiveRuns
from voxmatrix.work.cluster.store import Store
from voxmatrix.work.cluster.voices import fetch
from voxmatrix.work.unit import Unit

logger = logging.getLogger(__name__)

#: Audio that no coordinator fetches is deleted after this time, where the store can do so.
KEEP_AUDIO_SECONDS = 900
#: Progress is reported this often at most.
_REPORT_SECONDS = 0.2
#: A coordinator is asked for at this interval, and given up after so many seconds without a life sign.
_LIFE_SECONDS, _LOST_SECONDS = 1.0, 4.0
#: A store or broker that does not answer is tried again for so long.
_PATIENCE_SECONDS = 60.0
#: Sentences that are on their way to the store while the next one is spoken.
_UPLOADS = 4
_SPEED_WEIGHT = 0.3

OnReport = Callable[[BatchReport], None]
T = TypeVar("T")


@dataclass
class _Progress:
    """What was done of a batch."""

    spoken: list[SpokenUnit] = field(default_factory=list)
    failed: list[FailedUnit] = field(default_factory=list)
    uploads: "deque[tuple[SpokenUnit, Future[None]]]" = field(default_factory=deque)

    def report(self, state: BatchState, failure: Failure | None = None) -> BatchReport:
        return BatchReport(state=state, spoken=tuple(self.spoken), failed=tuple(self.failed), failure=failure)


class BatchSpeaker:
    """Speaks one batch after the other."""

    def __init__(
        self, voices: OpenVoices, store: Store, runs: LiveRuns, notices: Notices, *, boot: str, threads: int
    ) -> None:
        self._voices, self._store, self._runs, self._notices = voices, store, runs, notices
        self._boot, self._threads = boot, threads
        self._uploading = ThreadPoolExecutor(1, thread_name_prefix="upload")
        self._speed: float | None = None
        self._coordinator_seen = (0.0, 0.0)  # asked, and found
        notices.tell(SpeakerStatus())

    def speak(self, task: str, batch: SpeechBatch, on_report: OnReport) -> BatchReport:
        """Speak the units of a batch until its end, or until the worker is stopped or nobody waits for it any more.

        Raises:
            UnreachableError: the store or the broker has not answered for a minute.
        """
        progress = _Progress()
        if batch.boot != self._boot:
            return progress.report("dropped")
        self._coordinator_seen = (0.0, time.monotonic())
        units = [Unit(text=text, voice=batch.voice.checksum, options=options) for text, options in batch.units]
        try:
            speak = self._opened(batch, units)
        except Exception as error:
            if self._notices.stopped or not self._awaited(batch.run):
                return progress.report("stopped" if self._notices.stopped else "dropped")
            logger.error("the voice cannot be used here: %s", error)
            return progress.report("unusable", failure_of(error))
        try:
            return progress.report(self._speak_all(task, batch, units, speak, progress, on_report))
        finally:
            self._notices.forget(task)
            self._tell(None)

    def _speak_all(
        self,
        task: str,
        batch: SpeechBatch,
        units: list[Unit],
        speak: SpeakOne,
        progress: _Progress,
        on_report: OnReport,
    ) -> BatchState:
        reported = time.monotonic()
        for index, unit in enumerate(units):
            if self._notices.stopped or not self._awaited(batch.run):
                self._collect(progress, wait=True)
                return "stopped" if self._notices.stopped else "dropped"
            if index in self._notices.cancelled(task):
                continue
            self._tell(f"{batch.voice.files[0].name}: sentence {index + 1} of {len(units)}")
            self._speak_one(task, batch.run, index, unit, speak, progress)
            self._collect(progress, wait=len(progress.uploads) >= _UPLOADS)
            if time.monotonic() - reported >= _REPORT_SECONDS:
                reported = time.monotonic()
                on_report(progress.report("speaking"))
        self._collect(progress, wait=True)
        return "done"

    def _opened(self, batch: SpeechBatch, units: list[Unit]) -> SpeakOne:
        """The voice of a batch. A coordinator that has just lost its broker puts the voice back within seconds."""
        path = self._patiently(lambda: fetch(self._store, batch.voice), batch.run)
        return self._voices.speaker(batch.voice.checksum, path, units[0].settings(self._threads))

    def _speak_one(self, task: str, run: str, index: int, unit: Unit, speak: SpeakOne, progress: _Progress) -> None:
        out = self._notices.folder / f"{index}-{unit.key[:16]}.wav"
        started = time.monotonic()
        try:
            settings = unit.settings(self._threads)
            speech = speak(SpeakJob(index=index, text=unit.text, out=out, settings=settings), lambda _count: None)
            wall = time.monotonic() - started
            spoken = SpokenUnit(
                index=index,
                wall_seconds=wall,
                samples=round(speech.seconds * speech.rate_hz),
                rate_hz=speech.rate_hz,
                sha256=digest(out),
                findings=speech.findings,
            )
        except Exception as error:  # any error affects only this unit
            progress.failed.append(FailedUnit(index=index, failure=failure_of(error)))
            return
        speed = speech.seconds / max(wall, 1e-6)
        self._speed = speed if self._speed is None else self._speed + _SPEED_WEIGHT * (speed - self._speed)
        upload = self._uploading.submit(self._upload, audio_name(run, task, index), out, run)
        progress.uploads.append((spoken, upload))

    def _upload(self, name: str, path: Path, run: str) -> None:
        data = path.read_bytes()
        path.unlink()
        self._patiently(lambda: self._store.put(name, data, KEEP_AUDIO_SECONDS), run)

    def _collect(self, progress: _Progress, *, wait: bool) -> None:
        """Note the units whose audio has arrived."""
        while progress.uploads and (wait or progress.uploads[0][1].done()):
            spoken, upload = progress.uploads.popleft()
            upload.result()
            progress.spoken.append(spoken)

    def _patiently(self, call: Callable[[], T], run: str) -> T:
        """Try again while the store does not answer, unless the worker is stopped."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return call()
            except UnreachableError as error:
                if time.monotonic() >= until or self._notices.stopped or not self._awaited(run):
                    raise
                logger.warning("%s; trying again", error.problem)
                time.sleep(_LIFE_SECONDS / 2)

    def _awaited(self, run: str) -> bool:
        """Whether the coordinator of the batch is there; one whose broker cannot be asked is believed to be."""
        now = time.monotonic()
        asked, found = self._coordinator_seen
        if now - asked < _LIFE_SECONDS:
            return now - found < _LOST_SECONDS
        try:
            found = now if self._runs.has(run) else found
        except UnreachableError:
            found = now
        self._coordinator_seen = (now, found)
        return now - found < _LOST_SECONDS

    def _tell(self, busy_with: str | None) -> None:
        self._notices.tell(
            SpeakerStatus(
                device_type=self._voices.device_type,
                cached_models=self._voices.names,
                audio_seconds_per_second=None if self._speed is None else round(self._speed, 2),
                busy_with=busy_with,
            )
        )
