"""Results that are damaged, late, or come twice."""

import time
from collections.abc import Callable
from random import Random

import pytest

from tests.work.cluster.faults.cluster import SECONDS, Cluster
from tests.work.cluster.faults.test_processes import stop
from voxmatrix.work.cluster.celery_executor import SILENT_SECONDS

pytestmark = [pytest.mark.redis, pytest.mark.slow]

Record = Callable[[str, object], None]


@pytest.mark.parametrize("damage", ["corrupt", "truncate"])
def test_damaged_audio_is_spoken_again(damage: str, chance: Random, cluster: Cluster, record_property: Record) -> None:
    cluster.start_workers(SECONDS, SECONDS, damage=[f"{damage}:{chance.random()}", ""])
    cluster.start_job()

    cluster.check()
    record_property("seconds", cluster.job.seconds)
    record_property("seen", cluster.job.failures)


def test_late_results_count_once(chance: Random, cluster: Cluster, record_property: Record) -> None:
    cluster.start_workers(SECONDS, 0.3)
    cluster.start_job()

    cluster.reach_any_moment(chance, 20)
    stop(cluster, cluster.workers[0], chance.uniform(SILENT_SECONDS, SILENT_SECONDS + 3))

    cluster.check()
    record_property("seen", cluster.job.delivered_again)


def test_batches_and_results_may_come_twice(chance: Random, cluster: Cluster, record_property: Record) -> None:
    """What is in Redis at some moment is put there again at a later one."""
    cluster.start_workers(SECONDS, SECONDS)
    cluster.start_job()
    client = cluster.server.client

    cluster.reach_any_moment(chance)
    queues: dict[str, list[bytes]] = {}
    results: dict[bytes, bytes] = {}
    while not (queues or results or cluster.job.ended):
        queues = {name: found for worker in "ab" if (found := client.lrange(name := f"w.{worker}", 0, -1))}
        keys = [*client.keys("celery-task-meta-*"), *client.keys("voxmatrix:audio/*")]
        results = {key: value for key in keys if (value := client.get(key))}
    time.sleep(chance.uniform(0, 1))
    for queue, messages in queues.items():
        client.rpush(queue, *messages)
    for key, value in results.items():
        client.set(key, value)

    cluster.check()
    record_property("seen", len(queues) + len(results))
    record_property("seconds", cluster.job.seconds)
