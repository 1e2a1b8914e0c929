"""Speak a batch: the work of a worker, in the process that has the voices open."""

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from voxmatrix.errors import BadInputError, Finding, UnreachableError
from voxmatrix.files import digest
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.family import OpenVoice
from voxmatrix.speak.batch.messages import failure_of
from voxmatrix.speak.batch.worker import speak_job
from voxmatrix.speak.output import Speech
from voxmatrix.voices.cast import CastVoice
from voxmatrix.voices.opened import OpenVoices
from voxmatrix.voices.resolve import resolve
from voxmatrix.wording import printable
from voxmatrix.work.cluster.broker_client import LiveRuns
from voxmatrix.work.cluster.messages import (
    BatchReport,
    BatchState,
    FailedUnit,
    SharedVoice,
    SpeechBatch,
    SpokenUnit,
    audio_name,
)
from voxmatrix.work.cluster.store import Store
from voxmatrix.work.cluster.voices import fetch
from voxmatrix.work.cluster.worker.control import ControlFolder, SpeakerStatus
from voxmatrix.work.unit import Unit

logger = logging.getLogger(__name__)

#: Audio that no coordinator fetches is deleted after this time, where the store can do so.
KEEP_AUDIO_SECONDS = 900
#: Progress is reported this often at most.
_REPORT_SECONDS = 0.2
#: A coordinator is asked for at this interval, and given up after this many seconds without a sign of life.
_LIFE_SECONDS, _LOST_SECONDS = 1.0, 4.0
#: A store or broker that does not answer is tried again for this long.
_PATIENCE_SECONDS = 60.0
#: Sentences that are on their way to the store while the next one is spoken.
_UPLOADS = 4
#: Sentences that are spoken at once on a GPU, which computes them in batches.
_AT_ONCE_ON_GPU = 16
_SPEED_WEIGHT = 0.3

OnReport = Callable[[BatchReport], None]
T = TypeVar("T")


@dataclass(kw_only=True)
class _Work:
    """A batch that is being spoken, and what was done of it."""

    task: str
    batch: SpeechBatch
    voice: OpenVoice
    cards: Mapping[str, VoiceCard]  # of all its voices, by checksum
    spoken: list[SpokenUnit] = field(default_factory=list)
    failed: list[FailedUnit] = field(default_factory=list)
    last_end: float = 0.0
    uploads: "deque[tuple[SpokenUnit, Future[None]]]" = field(default_factory=deque)

    def report(self, state: BatchState) -> BatchReport:
        return BatchReport(state=state, spoken=tuple(self.spoken), failed=tuple(self.failed))

    def units(self) -> list[Unit]:
        return _units(self.batch)

    def speak(self, unit: Unit, out: Path) -> Speech:
        """Speak a unit. The voices of its cast are files of this computer, not of the coordinator."""
        job = unit.job(out)
        cast = {name: role._replace(voice=str(self.cards[role.digest].path)) for name, role in job.style.cast.items()}
        return speak_job(self.voice, log_finding, replace(job, style=replace(job.style, cast=cast)), _ignore)


class BatchSpeaker:
    """Speaks one batch after the other."""

    def __init__(
        self, voices: OpenVoices, store: Store, runs: LiveRuns, control: ControlFolder, *, incarnation: str
    ) -> None:
        self._voices, self._store, self._runs, self._notices = voices, store, runs, control
        self._incarnation = incarnation
        self._device_type = ""  # of the voice that was used last
        self._uploading = ThreadPoolExecutor(1, thread_name_prefix="upload")
        self._speed: float | None = None
        self._coordinator_seen = (0.0, 0.0)  # asked, and found
        control.tell(SpeakerStatus())

    def speak(self, task: str, batch: SpeechBatch, on_report: OnReport) -> BatchReport:
        """Speak the units of a batch until its end, or until the worker is stopped or nobody waits for it any more.

        Raises:
            UnreachableError: the store or the broker has not answered for a minute.
        """
        if batch.incarnation != self._incarnation:
            return BatchReport(state="dropped")
        self._coordinator_seen = (0.0, time.monotonic())
        with ExitStack() as stack:
            try:
                cards = {voice.checksum: self._card(voice, batch) for voice in (batch.voice, *batch.cast)}
                opened = stack.enter_context(self._voices.use(cards[batch.voice.checksum]))
                opened.card.check(_units(batch)[0].style)
            except Exception as error:
                if self._unwanted(batch):
                    return BatchReport(state=self._unwanted(batch) or "dropped")
                logger.error("the voice cannot be used here: %s", printable(str(error)))
                return BatchReport(state="unusable", failure=failure_of(error))
            self._device_type = opened.device_kind
            voice = CastVoice(opened.voice, lambda card: stack.enter_context(self._voices.use(card)).voice)
            work = _Work(task=task, batch=batch, voice=voice, cards=cards)
            at_once = _AT_ONCE_ON_GPU if opened.device.in_batches else 1
            try:
                with ThreadPoolExecutor(at_once, thread_name_prefix="unit") as pool:
                    return work.report(self._speak_all(work, pool, at_once, on_report))
            finally:
                self._notices.forget(task)
                self._tell(None)

    def _speak_all(self, work: _Work, pool: ThreadPoolExecutor, at_once: int, on_report: OnReport) -> BatchState:
        reported = time.monotonic()
        units = work.units()
        begun: deque[tuple[int, float, Future[Speech]]] = deque()
        for index, unit in enumerate([*units, *[None] * (at_once - 1)]):  # at the end, those that have begun
            if unwanted := self._unwanted(work.batch):
                self._collect(work, wait=True)
                return unwanted
            if unit is not None and index not in self._notices.cancelled(work.task):
                self._tell(f"{work.batch.voice.files[0].name}: sentence {index + 1} of {len(units)}")
                begun.append((index, time.monotonic(), pool.submit(work.speak, unit, self._file(work, index))))
            if begun and (unit is None or len(begun) >= at_once):
                self._end(work, *begun.popleft())
            self._collect(work, wait=len(work.uploads) >= _UPLOADS)
            if time.monotonic() - reported >= _REPORT_SECONDS:
                reported = time.monotonic()
                on_report(work.report("speaking"))
        self._collect(work, wait=True)
        return "done"

    def _unwanted(self, batch: SpeechBatch) -> BatchState | None:
        """Why no further sentences should be spoken."""
        if self._notices.stopped:
            return "stopped"
        return None if self._awaited(batch.run) else "dropped"

    def _card(self, voice: SharedVoice, batch: SpeechBatch) -> VoiceCard:
        """A voice of a batch. A coordinator that has just lost its broker puts the voice back within seconds."""
        card = resolve(self._patiently(lambda: fetch(self._store, voice), batch))
        if card.digest != voice.checksum:  # not all of it travels
            raise BadInputError(
                f"this worker has another version of what speaks {card.id}", "install the same on all computers"
            )
        return card

    def _file(self, work: _Work, index: int) -> Path:
        return self._notices.folder / f"{index}-{work.units()[index].key[:16]}.wav"

    def _end(self, work: _Work, index: int, started: float, speaking: "Future[Speech]") -> None:
        """Wait for a unit, and send its audio. The time that it shared with others counts for one of them."""
        out = self._file(work, index)
        try:
            speech = speaking.result()
            wall = time.monotonic() - max(started, work.last_end)
            spoken = SpokenUnit(
                index=index,
                wall_seconds=wall,
                samples=round(speech.seconds * speech.rate_hz),
                rate_hz=speech.rate_hz,
                sha256=digest(out),
                sentences=speech.sentences,
                findings=speech.findings,
                computed=speech.computed,
            )
        except Exception as error:  # any error affects only this unit
            work.failed.append(FailedUnit(index=index, failure=failure_of(error)))
            return
        finally:
            work.last_end = time.monotonic()
        speed = speech.seconds / max(wall, 1e-6)
        self._speed = speed if self._speed is None else self._speed + _SPEED_WEIGHT * (speed - self._speed)
        name = audio_name(work.batch.run, work.task, index)
        work.uploads.append((spoken, self._uploading.submit(self._upload, name, out, work.batch)))

    def _upload(self, name: str, path: Path, batch: SpeechBatch) -> None:
        data = path.read_bytes()
        path.unlink()
        self._patiently(lambda: self._store.put(name, data, KEEP_AUDIO_SECONDS), batch)

    def _collect(self, work: _Work, *, wait: bool) -> None:
        """Note the units whose audio has arrived."""
        while work.uploads and (wait or work.uploads[0][1].done()):
            spoken, upload = work.uploads.popleft()
            upload.result()
            work.spoken.append(spoken)

    def _patiently(self, call: Callable[[], T], batch: SpeechBatch) -> T:
        """Try again while the store does not answer, unless the worker is stopped."""
        until = time.monotonic() + _PATIENCE_SECONDS
        while True:
            try:
                return call()
            except UnreachableError as error:
                if time.monotonic() >= until or self._unwanted(batch):
                    raise
                logger.warning("%s; trying again", printable(error.problem))
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
                device_type=self._device_type,
                cached_models=self._voices.names,
                audio_seconds_per_second=None if self._speed is None else round(self._speed, 2),
                busy_with=busy_with,
            )
        )


def _units(batch: SpeechBatch) -> list[Unit]:
    return [Unit(text=text, voice=batch.voice.checksum, options=options) for text, options in batch.units]


def _ignore(_count: int) -> None:
    """Progress within a sentence."""


def log_finding(finding: Finding) -> None:
    """Report a finding in the log of the worker."""
    logger.warning("%s", printable(f"{finding.problem}; {finding.remedy}"))
