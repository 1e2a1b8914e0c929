"""What happens to a cluster besides `faults/`: the job ends with the same audio, and no process is left."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.work.cluster.jobs import Job, audio_alone
from tests.work.cluster.processes import ClusterWorker, RedisServer
from voxmatrix.models.card import VoiceCard
from voxmatrix.work.unit import Unit

pytestmark = [pytest.mark.redis, pytest.mark.slow]

Start = Callable[..., ClusterWorker]


def _flush_redis(_worker: ClusterWorker, server: RedisServer) -> None:
    server.client.flushall()


def _not_json(worker: ClusterWorker, server: RedisServer) -> None:
    server.client.rpush(f"w.{worker.name}", b"\x80\x05 this is not JSON")


def _orderly_stop(worker: ClusterWorker, _server: RedisServer) -> None:
    assert worker.stop() == 0


@pytest.mark.parametrize("fault", [_flush_redis, _not_json, _orderly_stop])
def test_a_job_ends_with_the_same_audio_after(
    fault: Callable[[ClusterWorker, RedisServer], None],
    redis_server: RedisServer,
    start_worker: Start,
    voice: VoiceCard,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    units = sentences(60)
    workers = [start_worker(redis_server.url, name, seconds=0.05) for name in ("a", "b")]
    job = Job(redis_server.url, voice, tmp_path / "job", units)

    job.until(10)
    fault(workers[0], redis_server)
    outcome = job.end()

    assert outcome.given_up == ()
    assert job.audio() == audio_alone(voice, tmp_path / "alone", units)


def test_no_process_of_a_killed_worker_stays(redis_server: RedisServer, start_worker: Start) -> None:
    worker = start_worker(redis_server.url, "a")
    processes = worker.everything()

    os.kill(worker.process.pid, signal.SIGKILL)

    gone, alive = psutil.wait_procs([p for p in processes if p.pid != worker.process.pid], timeout=30)
    assert not alive and gone
