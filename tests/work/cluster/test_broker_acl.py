import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.work.cluster.jobs import Job
from tests.work.cluster.processes import ClusterWorker, RedisServer
from voxmatrix.work.cluster.broker import set_user
from voxmatrix.work.cluster.members import workers_health
from voxmatrix.work.unit import Unit

pytestmark = [pytest.mark.redis, pytest.mark.slow]


def test_a_worker_with_a_user_of_its_own_works_and_can_do_nothing_else(
    redis_server: RedisServer,
    start_worker: Callable[..., ClusterWorker],
    voice: Path,
    sentences: Callable[[int], list[Unit]],
    tmp_path: Path,
) -> None:
    import redis

    subprocess.run(
        ["redis-cli", "-p", str(redis_server.port)],
        input=set_user("box", "s3cr3t", ["a", "a-2"]),
        text=True,
        check=True,
        timeout=60,
    )
    url = f"redis://box:s3cr3t@127.0.0.1:{redis_server.port}/0"
    worker = start_worker(url, "a")

    assert Job(redis_server.url, voice, tmp_path / "job", sentences(20)).end().given_up == ()
    assert [each.name for each in workers_health(redis_server.url, 3)] == ["a"]
    assert worker.stop() == 0
    stranger = redis.Redis.from_url(url)
    for forbidden in (
        lambda: stranger.rpush("w.b", "{}"),
        lambda: stranger.set("voxmatrix:voices/0", b""),
        lambda: stranger.set("voxmatrix:run:0", 1),
        lambda: stranger.delete("unacked:b"),
        lambda: stranger.keys("*"),
        stranger.flushall,
        lambda: stranger.config_get("requirepass"),
    ):
        with pytest.raises(redis.exceptions.NoPermissionError):
            forbidden()
    stranger.close()
