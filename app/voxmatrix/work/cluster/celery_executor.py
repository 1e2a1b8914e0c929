"""Workers on other computers, to which Celery carries the batches.

A worker is known by its heartbeats. What it holds is sent again when it is gone, when it has restarted, or when the
broker has lost its data. So results may come late or twice: each is accepted for a unit that is wanted, and only if its
audio is what the worker has said.
"""

import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.closing import Closeable
from voxmatrix.errors import UnreachableError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import Warn, python_warning
from voxmatrix.speak.batch.messages import Failure
from voxmatrix.speak.batch.processes import FATAL_CODES
from voxmatrix.work.cluster.broker import cluster_app
from voxmatrix.work.cluster.broker_client import BrokerClient, run_key
from voxmatrix.work.cluster.deliveries import Deliveries, UnwritableError
from voxmatrix.work.cluster.members import Heartbeat, Members
from voxmatrix.work.cluster.messages import UNITS_PER_MESSAGE, BatchReport, SpeechBatch
from voxmatrix.work.cluster.patience import PATIENCE_SECONDS, Patience
from voxmatrix.work.cluster.store import open_store
from voxmatrix.work.cluster.tasks import SentTask, SentTasks, remote_failure
from voxmatrix.work.cluster.voices import PublishedVoices
from voxmatrix.work.executor import UnitFailed, WorkerJoined, WorkerLeft, WorkEvent
from voxmatrix.work.unit import Unit

#: A worker sends a heartbeat every second. Without one for this long it is gone.
SILENT_SECONDS = 4.0
#: In this time every worker that runs is heard. Were only the first of them known, a damaged one could fail a unit so
#: often that it is given up, and a slow one would get what others speak sooner.
ROUND_SECONDS = 1.25
#: A worker that cannot speak the voice is asked again after this time.
_UNUSABLE_SECONDS = 60.0
_POLL_SECONDS = 0.04
_BEAT_SECONDS = 1.0
#: Between renewals of the voice in the store.
_VOICE_SECONDS = 300.0


@dataclass(eq=False)
class _Remote:
    """A worker of the cluster, and what it has to do."""

    heartbeat: Heartbeat
    joined: bool = False
    unwanted_until: float = 0.0  # nothing is sent to it before, and before it is heard again
    failure: Failure | None = None  # why it cannot speak this voice
    unheard: str | None = None  # the incarnation that was lost because nothing was heard of it


class CeleryExecutor(Closeable):
    """The workers of a cluster, with one voice. Used with `with`."""

    overhead_seconds = 0.1

    def __init__(
        self,
        broker: str,
        voice: VoiceCard,
        incoming: Path,
        *,
        store: str = "",
        results: str = "",
        patience_seconds: float = PATIENCE_SECONDS,
        warn: Warn = python_warning,
    ) -> None:
        """Finished files are left in the folder `incoming`. `warn` is told once of each time that nothing works.

        `store` is the URL of the store for audio and voices, by default the broker's Redis; `results` is a result
        backend of Celery, by default the broker.

        Raises:
            BadInputError: the voice cannot be sent to workers.
            MissingProgramError: Celery, or a package for the store, is not installed.
            UnreachableError: the broker or the store does not answer, or refuses this client.
            UsageError: the store cannot be opened.
        """
        self._run = uuid.uuid4().hex
        self._voices = PublishedVoices(voice)
        app = cluster_app(broker, results)
        self._mailbox, self._store = BrokerClient(app, broker), open_store(store, broker)
        self._key = run_key(broker, self._run)
        self._mailbox.check()
        self._key.beat()
        self._voices.renew(self._store)
        now = time.monotonic()
        self._beaten = self._renewed = self._called = now
        self._judge_after, self._lost_data = 0.0, False
        self._patience = Patience(broker, patience_seconds, warn, now)
        self._remotes: dict[str, _Remote] = {}
        self._tasks = SentTasks(self._mailbox)
        self._events: list[WorkEvent] = []
        self._deliveries = Deliveries(self._store, self._run, incoming)
        self._members = Members(app)

    def submit(self, worker: str, units: Sequence[Unit]) -> None:
        """Send a batch. If the broker does not answer, the worker is gone until it is heard again.

        Raises:
            BadInputError: a voice of a cast cannot be sent.
        """
        remote = self._remotes.get(worker)
        if remote is None or not remote.joined:
            return
        for start in range(0, len(units), UNITS_PER_MESSAGE):
            part = list(units[start : start + UNITS_PER_MESSAGE])
            task = str(uuid.uuid4())
            self._deliveries.want(part)
            try:
                batch = SpeechBatch(
                    run=self._run,
                    incarnation=remote.heartbeat.incarnation,
                    voice=self._voices.own,
                    units=tuple((unit.text, unit.options) for unit in part),
                    cast=self._voices.of_casts(self._store, (unit.style.cast for unit in part)),
                )
                self._mailbox.send(worker, task, batch)
            except UnreachableError:
                self._lose(worker, None)
                return
            self._tasks.add(SentTask(task, worker, part))

    def results(self, timeout_seconds: float) -> list[WorkEvent]:
        """What has happened since the last call.

        Raises:
            UnreachableError: no worker has been heard for a minute, or a finished file cannot be written.
            VoxmatrixError: no worker can speak this voice.
        """
        until = time.monotonic() + timeout_seconds
        self._notice_pause()
        while True:
            now = time.monotonic()
            self._hear(now)
            self._ask(now)
            self._called = time.monotonic()
            if self._events or self._called >= until:
                break
            time.sleep(min(_POLL_SECONDS, max(0.0, until - self._called)))
        self._patience.tell(self._called, self._failures())
        if not self._events:
            self._patience.check(self._called, self._failures())
        events, self._events = self._events, []
        return events

    def cancel(self, worker: str, keys: Sequence[str]) -> None:
        """Tell a worker what it need not speak any more."""
        self._cancel(worker, self._tasks.unreported(worker, set(keys)))

    def replace(self, worker: str, failure: Failure) -> None:
        """Kill the process in which a worker speaks. It joins again when it is heard."""
        remote = self._remotes.get(worker)
        if remote is not None:
            with suppress(UnreachableError):
                self._mailbox.kill(remote.heartbeat.hostname, [task.name for task in self._tasks.held(worker)])
            self._lose(worker, failure)

    def last_results(self) -> list[WorkEvent]:
        """`results` without waiting: the workers are not of this process."""
        return self.results(0.0)

    def close(self) -> None:
        """Tell the workers that nobody waits for their results any more."""
        for worker in list(self._remotes):
            self._give_up(worker)
        self._members.close()
        self._deliveries.close()
        with suppress(UnreachableError):
            self._key.remove()
            self._mailbox.forget(task.name for task in self._tasks)
        with suppress(UnreachableError):
            self._store.delete([name for task in self._tasks for name in task.audio_names(self._run)])
            self._store.delete_folder(f"audio/{self._run}")

    def _ask(self, now: float) -> None:
        """Exchange news with the broker. One that does not answer is asked again soon."""
        try:
            self._beat(now)
            for task, report, is_last in self._tasks.news(now):
                self._on_news(task, report, is_last)
        except UnwritableError:
            raise
        except UnreachableError as error:
            self._patience.asked(now, error)
        else:
            self._patience.asked(now, None)

    def _notice_pause(self) -> None:
        """After a pause of this process, e.g. of a suspended laptop, heartbeats are waiting to be heard."""
        now = time.monotonic()
        if now - self._called > SILENT_SECONDS / 2:
            self._judge_after = now + SILENT_SECONDS

    def _hear(self, now: float) -> None:
        """Compare the workers with what was heard of them."""
        since, members = self._members.heard()
        heard_all = since is not None and now - since > ROUND_SECONDS
        for name, member in members.items():
            remote = self._remotes.setdefault(name, _Remote(member.heartbeat))
            before, remote.heartbeat = remote.heartbeat, member.heartbeat
            if before.incarnation != member.heartbeat.incarnation:
                self._lose(name, _started_anew(name))
                remote.unwanted_until, remote.failure = 0.0, None
            is_silent = now - member.heard > SILENT_SECONDS
            can_judge = since is not None and now - since > SILENT_SECONDS and now > self._judge_after
            if member.leaving or (remote.joined and is_silent and can_judge):
                # A busy computer or its network is not the fault of a sentence. Its death is known when it restarts.
                self._lose(name, None)
                with suppress(UnreachableError):
                    self._mailbox.drop_queue(name)
                remote.unheard = None if member.leaving else member.heartbeat.incarnation
            elif heard_all and not remote.joined and not is_silent and member.heard > remote.unwanted_until:
                died = remote.unheard is not None and remote.unheard != member.heartbeat.incarnation
                remote.joined, remote.failure, remote.unheard = True, None, None
                failure = _started_anew(name) if died else None
                self._events.append(WorkerJoined(worker=name, speed=member.heartbeat.speed, failure=failure))
        if any(remote.joined for remote in self._remotes.values()):
            self._patience.has_worker(now)

    def _lose(self, worker: str, failure: Failure | None, seconds: float = 0.0) -> None:
        """A worker is gone, or does not have what it was sent. It may join again after this time."""
        remote = self._remotes[worker]
        remote.unwanted_until = time.monotonic() + seconds
        held = self._tasks.held(worker)
        self._give_up(worker)
        if remote.joined:
            remote.joined = False
            # It had begun the first batch only. What was cancelled of it may have been spoken anyway.
            spoken = tuple(held[0].units[index].key for index in held[0].unreported()) if held else ()
            self._events.append(WorkerLeft(worker=worker, failure=failure, possible_causes=spoken))

    def _give_up(self, worker: str) -> None:
        """Wait no longer for what a worker has; it need not continue it."""
        self._cancel(worker, self._tasks.give_up(worker))

    def _cancel(self, worker: str, tasks: dict[str, list[int]]) -> None:
        if tasks:
            with suppress(UnreachableError):
                self._mailbox.cancel(self._remotes[worker].heartbeat.hostname, tasks)

    def _unusable(self, worker: str, failure: Failure) -> None:
        """A worker cannot speak this voice: the others continue without it."""
        self._lose(worker, None, _UNUSABLE_SECONDS)
        self._remotes[worker].failure = failure

    def _failures(self) -> list[Failure]:
        """Why workers cannot speak this voice."""
        return [remote.failure for remote in self._remotes.values() if remote.failure is not None]

    def _beat(self, now: float) -> None:
        """Renew the life sign of this run. If the broker has lost its data, which it says once, send all again."""
        if now - self._beaten < _BEAT_SECONDS:
            return
        self._lost_data |= not self._key.beat()
        self._beaten = now
        if self._lost_data or now - self._renewed > _VOICE_SECONDS:
            self._voices.renew(self._store)
            self._renewed = now
        if self._lost_data:
            self._lost_data = False
            for worker, remote in self._remotes.items():
                if remote.joined:
                    self._lose(worker, None)

    def _on_news(self, task: SentTask, report: BatchReport | Failure, is_last: bool) -> None:
        if isinstance(report, Failure):
            if task.given_up is None:
                self._lose(task.worker, report)
            self._tasks.forget(task)
            return
        self._on_report(task, report)
        if is_last:
            self._on_end(task, report)

    def _on_end(self, task: SentTask, report: BatchReport) -> None:
        """The last report about a task."""
        if report.state == "unusable" and report.failure is not None and task.given_up is None:
            self._unusable(task.worker, report.failure)
        elif report.state != "done" and task.given_up is None:
            self._lose(task.worker, None)
        self._tasks.forget(task)

    def _on_report(self, task: SentTask, report: BatchReport) -> None:
        """Turn what is new in a report into events."""
        self._events.extend(self._deliveries.spoken(task, report))
        for unit, failure in task.new_failures(report):
            if failure.exit_code not in FATAL_CODES:
                self._events.append(UnitFailed(worker=task.worker, key=unit.key, failure=failure))
            elif task.given_up is None:  # of this worker: another one may well have the device
                self._unusable(task.worker, failure)


def _started_anew(worker: str) -> Failure:
    return remote_failure(f"the worker {worker} was restarted")
