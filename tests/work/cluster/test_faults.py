"""Whatever dies, the job ends with the same audio as if nothing had happened."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import psutil
import pytest

from tests.work.cluster.jobs import Job, audio_alone, run_to_the_end
from tests.work.cluster.processes import ClusterWorker, RedisServer, wait_until
from voxmatrix.work.unit import Unit

pytestmark = [pytest.mark.redis, pytest.mark.slow]

Start = Callable[..., ClusterWorker]


def _kill_supervisor(worker: ClusterWorker, _server: RedisServer, start: Start) -> None:
    worker.process.kill()
    start(worker.url, worker.name, seconds=0.05)


def _kill_node(worker: ClusterWorker, _server: RedisServer, _start: Start) -> None:
    worker.node().kill()


def _kill_child(worker: ClusterWorker, _server: RedisServer, _start: Start) -> None:
    worker.child().kill()


def _stop_for_a_while(worker: ClusterWorker, _server: RedisServer, _start: Start) -> None:
    stopped = worker.everything()
    for process in stopped:
        process.suspend()
    threading.Timer(8.0, lambda: [process.resume() for process in stopped if process.is_running()]).start()


def _restart_redis(_worker: ClusterWorker, server: RedisServer, _start: Start) -> None:
    server.kill()
    threading.Event().wait(3.0)
    server.start()


def _lose_redis(_worker: ClusterWorker, server: RedisServer, _start: Start) -> None:
    server.kill(lose_data=True)
    threading.Event().wait(3.0)
    server.start()


def _flush_redis(_worker: ClusterWorker, server: RedisServer, _start: Start) -> None:
    server.client.flushall()


def _not_json(worker: ClusterWorker, server: RedisServer, _start: Start) -> None:
    server.client.rpush(f"w.{worker.name}", b"\x80\x05 this is not JSON")


def _orderly_stop(worker: ClusterWorker, _server: RedisServer, _start: Start) -> None:
    assert worker.stop() == 0


@pytest.mark.parametrize(
    "fault",
    [
        _kill_supervisor,
        _kill_node,
        _kill_child,
        _stop_for_a_while,
        _restart_redis,
        _lose_redis,
        _flush_redis,
        _not_json,
        _orderly_stop,
    ],
)
def test_a_job_ends_with_the_same_audio_after(
    fault: Callable[[ClusterWorker, RedisServer, Start], None],
    redis_server: RedisServer,
    start_worker: Start,
    voice: Path,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    units = sentences(150)
    workers = [start_worker(redis_server.url, name, seconds=0.05) for name in ("a", "b")]
    job = Job(redis_server.url, voice, tmp_path / "job", units)

    job.until(10)
    fault(workers[0], redis_server, start_worker)
    outcome = job.end()

    assert outcome.given_up == ()
    assert job.audio() == audio_alone(voice, tmp_path / "alone", units)


def test_the_only_worker_may_be_killed(
    redis_server: RedisServer,
    start_worker: Start,
    voice: Path,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    units = sentences(40)
    worker = start_worker(redis_server.url, "a", seconds=0.05)
    job = Job(redis_server.url, voice, tmp_path / "job", units)

    job.until(5)
    worker.node().kill()

    assert job.end().given_up == ()
    assert job.audio() == audio_alone(voice, tmp_path / "alone", units)


def test_a_killed_coordinator_goes_on(
    redis_server: RedisServer,
    start_worker: Start,
    voice: Path,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    units = sentences(100)
    start_worker(redis_server.url, "a", seconds=0.05)
    arguments = (redis_server.url, voice, tmp_path / "job", units)
    first = multiprocessing.get_context("spawn").Process(target=run_to_the_end, args=arguments)

    first.start()
    wait_until(lambda: len(list((tmp_path / "job").glob("audio/*/*.wav"))) > 10)
    first.kill()
    first.join()
    second = Job(*arguments)

    outcome = second.end()
    assert outcome.given_up == ()
    assert outcome.known > 0
    assert second.audio() == audio_alone(voice, tmp_path / "alone", units)


def test_damaged_audio_is_spoken_again(
    redis_server: RedisServer,
    start_worker: Start,
    voice: Path,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    units = sentences(20)
    start_worker(redis_server.url, "honest", seconds=0.05)
    start_worker(redis_server.url, "faulty", "corrupt")
    job = Job(redis_server.url, voice, tmp_path / "job", units)

    assert job.end().given_up == ()
    assert job.audio() == audio_alone(voice, tmp_path / "alone", units)


def test_no_process_of_a_killed_worker_stays(redis_server: RedisServer, start_worker: Start) -> None:
    worker = start_worker(redis_server.url, "a")
    processes = worker.everything()

    os.kill(worker.process.pid, signal.SIGKILL)

    gone, alive = psutil.wait_procs([p for p in processes if p.pid != worker.process.pid], timeout=30)
    assert not alive and gone


def test_a_unit_that_always_fails_is_named_and_the_rest_is_made(
    redis_server: RedisServer,
    start_worker: Start,
    voice: Path,
    sentences: Callable[[int, str], Sequence[Unit]],
    tmp_path: Path,
) -> None:
    units = [*sentences(5, ""), *sentences(1, "This one always fails.")]
    start_worker(redis_server.url, "a")
    job = Job(redis_server.url, voice, tmp_path / "job", units)

    outcome = job.end()

    assert [given_up.unit.text for given_up in outcome.given_up] == ["This one always fails. 0"]
    assert len(job.audio()) == 5
