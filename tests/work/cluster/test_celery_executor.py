"""What the executor accepts from a worker that this test plays, over a real Redis."""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.toys.family import voice_of
from tests.work.cluster.processes import RedisServer, wait_until
from voxmatrix.errors import BadInputError, Finding, UnreachableError
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.style import Style
from voxmatrix.speak.batch.messages import Failure
from voxmatrix.speak.wav import header
from voxmatrix.work.cluster import celery_executor, patience
from voxmatrix.work.cluster.broker import cluster_app, queue_of
from voxmatrix.work.cluster.celery_executor import CeleryExecutor
from voxmatrix.work.cluster.messages import BatchReport, FailedUnit, SpokenUnit, audio_name, to_message
from voxmatrix.work.cluster.store import Store, open_store
from voxmatrix.work.cluster.voices import PublishedVoices
from voxmatrix.work.executor import UnitFailed, UnitSpoken, WorkerJoined, WorkerLeft, WorkEvent
from voxmatrix.work.unit import Unit, unit_of

pytestmark = [
    pytest.mark.redis,
    pytest.mark.filterwarnings("ignore:Call to deprecated setex:DeprecationWarning"),  # by Celery 5.7
    pytest.mark.filterwarnings("ignore:nothing is spoken:RuntimeWarning"),  # a worker is late on a busy computer
]

RATE_HZ = 22050
SAMPLES = b"\x01\x02" * 500
WAV = header(RATE_HZ, len(SAMPLES)) + SAMPLES
INCARNATION = "0" * 32


class PlayedWorker:
    """A worker of which every answer is told."""

    def __init__(self, server: RedisServer, name: str = "played") -> None:
        self.name, self._server = name, server
        self._app = cluster_app(server.url)
        self._store = open_store("", server.url)
        self.incarnation = INCARNATION

    def beat(self, kind: str = "worker-heartbeat", **facts: Any) -> None:
        told = {"incarnation": self.incarnation, "queue": queue_of(self.name), "device": "cpu", "speed": 3.0, **facts}
        with (
            self._app.connection_for_write() as connection,
            self._app.events.Dispatcher(connection, hostname=f"{self.name}@here") as dispatcher,
        ):
            dispatcher.send(kind, freq=1, **told)

    def batch(self) -> tuple[str, dict[str, Any]]:
        """The next message: the id of the task, and the batch."""
        _, message = self._server.client.brpop([queue_of(self.name)], timeout=30)
        envelope = json.loads(message)
        _args, batch, _embedded = json.loads(base64.b64decode(envelope["body"]))
        return envelope["headers"]["id"], batch

    def put(self, task: str, batch: dict[str, Any], index: int, data: bytes = WAV) -> None:
        self._store.put(audio_name(batch["run"], task, index), data, 60)

    def report(self, task: str, report: Any, state: str = "SUCCESS") -> None:
        message = to_message(report) if isinstance(report, BatchReport) else report
        self._app.backend.store_result(task, message, state)


def _spoken(index: int, data: bytes = WAV, **other: Any) -> SpokenUnit:
    facts = {"samples": (len(WAV) - 44) // 2, "rate_hz": RATE_HZ, "sha256": hashlib.sha256(data).hexdigest()}
    return SpokenUnit(index=index, wall_seconds=0.5, **{**facts, **other})


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis")
    yield server
    server.close()


@pytest.fixture
def voice(tmp_path: Path) -> VoiceCard:
    return voice_of(tmp_path / "anna.tones")


@pytest.fixture
def units(voice: VoiceCard) -> list[Unit]:
    return [unit_of(f"Sentence {number}.", voice.digest, Style()) for number in range(3)]


@pytest.fixture
def executor(redis_server: RedisServer, voice: VoiceCard, tmp_path: Path) -> Iterator[CeleryExecutor]:
    with CeleryExecutor(redis_server.url, voice, tmp_path / "incoming", patience_seconds=30) as executor:
        yield executor


@pytest.fixture
def worker(redis_server: RedisServer, executor: CeleryExecutor) -> PlayedWorker:
    """A worker that has joined."""
    worker = PlayedWorker(redis_server)
    _joined(executor, worker)
    return worker


def _joined(executor: CeleryExecutor, *workers: PlayedWorker) -> None:
    missing = {worker.name for worker in workers}

    def heard() -> bool:
        for worker in workers:
            worker.beat()
        missing.difference_update(e.worker for e in executor.results(0.3) if isinstance(e, WorkerJoined))
        return not missing

    wait_until(heard)


def _events(executor: CeleryExecutor, count: int, worker: PlayedWorker | None = None) -> list[WorkEvent]:
    found: list[WorkEvent] = []

    def enough() -> bool:
        if worker:
            worker.beat()
        found.extend(executor.results(0.3))
        return len(found) >= count

    wait_until(enough)
    return found


def test_work_begins_when_every_worker_that_runs_was_heard(
    redis_server: RedisServer, executor: CeleryExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = [PlayedWorker(redis_server, name) for name in ("one", "two")]
    with monkeypatch.context() as patch:
        patch.setattr(celery_executor, "ROUND_SECONDS", 1e9)
        for worker in workers:
            worker.beat()
        assert executor.results(0.5) == []
    _joined(executor, *workers)


def test_audio_is_filed_as_soon_as_it_is_reported(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit], redis_server: RedisServer
) -> None:
    executor.submit("played", units)
    task, batch = worker.batch()
    worker.put(task, batch, 0)
    worker.report(task, BatchReport(state="speaking", spoken=(_spoken(0),)), "PROGRESS")
    (first,) = _events(executor, 1, worker)
    worker.put(task, batch, 1)
    worker.put(task, batch, 2)
    worker.report(task, BatchReport(state="done", spoken=(_spoken(0), _spoken(1), _spoken(2))))
    others = _events(executor, 2, worker)

    spoken = [event for event in (first, *others) if isinstance(event, UnitSpoken)]
    assert [event.key for event in spoken] == [unit.key for unit in units]
    assert [event.path.read_bytes() for event in spoken] == [WAV] * 3
    assert not redis_server.client.keys("voxmatrix:audio*")
    assert not redis_server.client.keys("celery-task-meta*")


def test_a_batch_says_text_and_options_and_where_the_voice_is(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit]
) -> None:
    executor.submit("played", units[:1])

    _, batch = worker.batch()

    assert batch["units"] == [[units[0].text, units[0].options]]
    assert batch["incarnation"] == INCARNATION
    assert batch["voice"]["checksum"] == units[0].voice
    assert [file["name"] for file in batch["voice"]["files"]] == ["anna.tones"]


@pytest.mark.parametrize(
    ("data", "said", "problem"),
    [
        (None, {}, "is not in the store"),
        (WAV[:-1] + b"\x00", {}, "was damaged on its way"),
        (WAV[:-2], {}, "does not have the reported length and format"),
        (WAV + b"\x00" * 100_000, {}, "does not have the reported length and format"),
        (b"RIFX" + WAV[4:], {}, "does not have the reported length and format"),
        (WAV, {"samples": 499}, "does not have the reported length and format"),
        (WAV, {"rate_hz": 16000}, "does not have the reported length and format"),
        (WAV, {"sha256": "0" * 64}, "was damaged on its way"),
    ],
)
def test_audio_that_is_not_what_the_worker_said_is_a_failure(
    data: bytes | None,
    said: dict[str, Any],
    problem: str,
    executor: CeleryExecutor,
    worker: PlayedWorker,
    units: list[Unit],
    tmp_path: Path,
) -> None:
    executor.submit("played", units[:1])
    task, batch = worker.batch()
    if data is not None:
        worker.put(task, batch, 0, data)
    worker.report(task, BatchReport(state="done", spoken=(_spoken(0, **said),)))

    (event,) = _events(executor, 1, worker)

    assert isinstance(event, UnitFailed)
    assert problem in event.failure.problem
    assert not list(tmp_path.glob("incoming/*"))


def test_units_that_nobody_asked_for_are_ignored(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit], tmp_path: Path
) -> None:
    executor.submit("played", units[:1])
    task, batch = worker.batch()
    worker.put(task, batch, 0)
    worker.put(task, batch, 7)
    worker.report(task, BatchReport(state="done", spoken=(_spoken(7), _spoken(0), _spoken(0))))

    events = _events(executor, 1, worker)

    assert [type(event) for event in events] == [UnitSpoken]
    assert len(list(tmp_path.glob("incoming/*"))) == 1


def test_the_first_result_counts_and_a_late_one_is_harmless(
    executor: CeleryExecutor, redis_server: RedisServer, units: list[Unit], tmp_path: Path
) -> None:
    slow, fast = PlayedWorker(redis_server, "slow"), PlayedWorker(redis_server, "fast")
    _joined(executor, slow, fast)
    filed = []
    for worker in (slow, fast):
        executor.submit(worker.name, units[:1])
    (slow_task, batch), (fast_task, _) = slow.batch(), fast.batch()
    for worker, task in ((fast, fast_task), (slow, slow_task)):
        worker.put(task, batch, 0)
        worker.report(task, BatchReport(state="done", spoken=(_spoken(0),)))
        (event,) = [e for e in _events(executor, 1) if isinstance(e, UnitSpoken)]
        filed.append((event.worker, event.path.exists()))

    assert filed == [("fast", True), ("slow", False)]
    assert not redis_server.client.keys("voxmatrix:audio*")


@pytest.mark.parametrize("report", [None, "done", {"state": "done", "spoken": [{"index": 0}]}, {"state": "finished"}])
def test_a_report_that_cannot_be_read_loses_the_batch(
    report: Any, executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit]
) -> None:
    executor.submit("played", units)
    task, _ = worker.batch()
    worker.report(task, report)

    left, joined = _events(executor, 2, worker)

    assert isinstance(left, WorkerLeft) and left.failure
    assert isinstance(joined, WorkerJoined) and joined.speed == 3.0


def test_a_new_start_of_a_worker_holds_nothing(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit]
) -> None:
    executor.submit("played", units)
    worker.incarnation = "1" * 32
    worker.beat()

    left, joined = _events(executor, 2)

    assert isinstance(left, WorkerLeft) and left.failure
    assert left.possible_causes == tuple(unit.key for unit in units)
    assert isinstance(joined, WorkerJoined)


def test_a_worker_that_stops_is_no_failure_and_its_queue_is_deleted(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit], redis_server: RedisServer
) -> None:
    executor.submit("played", units)
    worker.beat("worker-offline")

    (left,) = _events(executor, 1)

    assert isinstance(left, WorkerLeft) and left.worker == "played" and left.failure is None
    assert not redis_server.client.exists("w.played")


def test_a_worker_without_heartbeats_is_gone(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit], redis_server: RedisServer
) -> None:
    executor.submit("played", units)

    (left,) = _events(executor, 1)

    assert isinstance(left, WorkerLeft) and left.worker == "played" and left.failure is None
    assert not redis_server.client.exists("w.played")


@pytest.mark.parametrize(("incarnation", "died"), [(INCARNATION, False), ("1" * 32, True)])
def test_a_worker_that_was_not_heard_has_died_if_it_starts_anew(
    incarnation: str, died: bool, executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit]
) -> None:
    executor.submit("played", units)
    _events(executor, 1)
    worker.incarnation = incarnation

    (joined,) = _events(executor, 1, worker)

    assert isinstance(joined, WorkerJoined)
    assert bool(joined.failure) == died


def test_a_worker_without_the_device_is_left_alone_while_others_work(
    executor: CeleryExecutor, redis_server: RedisServer, units: list[Unit]
) -> None:
    poor, rich = PlayedWorker(redis_server, "poor"), PlayedWorker(redis_server, "rich")
    _joined(executor, poor, rich)
    executor.submit("poor", units)
    task, _ = poor.batch()
    failure = Failure(problem="espeak-ng is missing", remedy="install it", exit_code=7)
    poor.report(task, BatchReport(state="done", failed=(FailedUnit(index=0, failure=failure),)))

    (left,) = _events(executor, 1, rich)
    poor.beat()

    assert isinstance(left, WorkerLeft) and left.worker == "poor" and left.failure is None
    assert executor.results(0.5) == []


def test_the_job_ends_if_no_worker_can_speak_the_voice(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit]
) -> None:
    executor.submit("played", units)
    task, _ = worker.batch()
    failure = Failure(problem="the voice has no speaker 'bo'", remedy="choose anna", exit_code=3)
    worker.report(task, BatchReport(state="unusable", failure=failure))

    with pytest.raises(BadInputError, match="no speaker 'bo'"):
        for _ in range(200):
            worker.beat()
            executor.results(0.2)


def test_events_of_others_do_not_matter(
    executor: CeleryExecutor, worker: PlayedWorker, redis_server: RedisServer
) -> None:
    redis_server.client.publish("/0.celeryev/worker.heartbeat", b"\x80 not JSON")
    worker.beat(queue="w.another")
    worker.beat(incarnation="../..")
    worker.beat(speed="fast")
    _joined_again = PlayedWorker(redis_server, "later")

    _joined(executor, _joined_again)


def test_lost_data_is_sent_again(
    executor: CeleryExecutor, worker: PlayedWorker, units: list[Unit], redis_server: RedisServer
) -> None:
    executor.submit("played", units)
    executor.results(1.5)
    redis_server.client.flushall()

    events = _events(executor, 2, worker)

    assert [type(event) for event in events] == [WorkerLeft, WorkerJoined]
    assert redis_server.client.keys("voxmatrix:voices/*")


def test_lost_data_is_sent_again_also_if_the_store_is_back_later_than_the_broker(
    executor: CeleryExecutor,
    worker: PlayedWorker,
    units: list[Unit],
    redis_server: RedisServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renew, failures = PublishedVoices.renew, ["first", "second"]

    def renewed(voices: PublishedVoices, store: Store) -> None:
        if failures:
            raise UnreachableError(f"no store: {failures.pop()}", "wait")
        renew(voices, store)

    monkeypatch.setattr(PublishedVoices, "renew", renewed)
    executor.submit("played", units)
    executor.results(1.5)
    redis_server.client.flushall()

    events = _events(executor, 2, worker)

    assert [type(event) for event in events] == [WorkerLeft, WorkerJoined]
    assert not failures
    assert redis_server.client.keys("voxmatrix:voices/*")


def test_nothing_stays_in_the_broker(
    redis_server: RedisServer, voice: VoiceCard, units: list[Unit], tmp_path: Path
) -> None:
    worker = PlayedWorker(redis_server)
    with CeleryExecutor(redis_server.url, voice, tmp_path / "incoming") as executor:
        _joined(executor, worker)
        executor.submit("played", units)
        task, batch = worker.batch()
        worker.put(task, batch, 0)
        worker.report(task, BatchReport(state="speaking", spoken=(_spoken(0),)), "PROGRESS")

    left = [key for key in redis_server.client.scan_iter() if not key.startswith((b"_kombu", b"voxmatrix:voices"))]
    assert left == []


def test_without_workers_the_job_ends_and_says_what_to_type(
    redis_server: RedisServer, voice: VoiceCard, tmp_path: Path
) -> None:
    with (
        CeleryExecutor(redis_server.url, voice, tmp_path / "incoming", patience_seconds=0.5) as executor,
        pytest.raises(UnreachableError) as error,
    ):
        until = time.monotonic() + 30
        while time.monotonic() < until:
            executor.results(0.2)

    assert "voxmatrix worker --cluster" in error.value.remedy


def test_while_nothing_works_the_user_is_told_what_is_missing_once_each_time(
    redis_server: RedisServer, voice: VoiceCard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "NOTICE_SECONDS", 0.5)
    told: list[Finding] = []
    worker = PlayedWorker(redis_server)
    with CeleryExecutor(redis_server.url, voice, tmp_path / "incoming", warn=told.append) as executor:
        for _ in range(8):
            executor.results(0.2)
        assert ["no worker" in finding.problem for finding in told] == [True]
        assert "voxmatrix worker --cluster" in told[0].remedy

        _joined(executor, worker)
        redis_server.kill()
        wait_until(lambda: executor.results(0.2) or len(told) > 1)
        executor.results(0.5)
        assert [finding.problem.rpartition(" cannot")[0] for finding in told[1:]] == [redis_server.url]


def test_a_folder_that_cannot_be_written_ends_the_job(
    redis_server: RedisServer, voice: VoiceCard, units: list[Unit], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    worker = PlayedWorker(redis_server)
    with CeleryExecutor(redis_server.url, voice, tmp_path / "file" / "incoming") as executor:
        _joined(executor, worker)
        executor.submit("played", units[:1])
        task, batch = worker.batch()
        worker.put(task, batch, 0)
        worker.report(task, BatchReport(state="done", spoken=(_spoken(0),)))

        with pytest.raises(UnreachableError, match="cannot write"):
            _events(executor, 1, worker)


def test_a_broker_that_goes_away_for_good_ends_the_job(
    redis_server: RedisServer, voice: VoiceCard, tmp_path: Path
) -> None:
    with CeleryExecutor(redis_server.url, voice, tmp_path / "incoming", patience_seconds=2) as executor:
        redis_server.kill()

        with pytest.raises(UnreachableError):
            for _ in range(100):
                executor.results(0.2)


def test_a_broker_that_is_not_there_is_named(voice: VoiceCard, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match=r"redis://:\*\*@127\.0\.0\.1:1/0 cannot be reached"):
        CeleryExecutor("redis://:s3cr3t@127.0.0.1:1/0", voice, tmp_path)
