"""Whatever dies or stands still, and whenever: the job ends with the same audio as if nothing had happened."""

import time
from collections.abc import Callable
from random import Random

import pytest

from tests.work.cluster.faults.cluster import SECONDS, Cluster
from tests.work.cluster.processes import ClusterWorker

pytestmark = [pytest.mark.redis, pytest.mark.slow]

Fault = Callable[[Cluster, ClusterWorker, Random], None]
Record = Callable[[str, object], None]


def nothing(_cluster: Cluster, _worker: ClusterWorker, _chance: Random) -> None:
    """To compare with."""


def worker_killed(cluster: Cluster, worker: ClusterWorker, chance: Random) -> None:
    worker.process.kill()
    if chance.random() < 0.5:
        time.sleep(chance.uniform(0, 1))
        cluster.start_again(worker)


def celery_killed(_cluster: Cluster, worker: ClusterWorker, _chance: Random) -> None:
    worker.node().kill()


def child_killed(_cluster: Cluster, worker: ClusterWorker, _chance: Random) -> None:
    worker.child().kill()


def worker_stopped(cluster: Cluster, worker: ClusterWorker, chance: Random) -> None:
    stop(cluster, worker, chance.uniform(1, 10))


def redis_killed(cluster: Cluster, _worker: ClusterWorker, chance: Random) -> None:
    cluster.server.kill()
    time.sleep(chance.uniform(0, 5))
    cluster.server.start()


def redis_killed_and_its_data_lost(cluster: Cluster, _worker: ClusterWorker, chance: Random) -> None:
    cluster.server.kill(lose_data=True)
    time.sleep(chance.uniform(0, 5))
    cluster.server.start()


def stop(cluster: Cluster, worker: ClusterWorker, seconds: float) -> None:
    """SIGSTOP for some time, or until the job has ended without this worker."""
    processes = worker.everything()
    for process in processes:
        process.suspend()
    cluster.job.wait(seconds)
    for process in processes:
        process.resume()


@pytest.mark.parametrize(
    "fault",
    [
        nothing,
        worker_killed,
        celery_killed,
        child_killed,
        worker_stopped,
        redis_killed,
        redis_killed_and_its_data_lost,
    ],
)
def test_the_audio_is_the_same_after(fault: Fault, chance: Random, cluster: Cluster, record_property: Record) -> None:
    cluster.start_workers(SECONDS, SECONDS)
    cluster.start_job()

    cluster.reach_any_moment(chance)
    fault(cluster, chance.choice(cluster.workers), chance)

    cluster.check()
    record_property("seconds", cluster.job.seconds)


def test_the_only_worker_may_be_killed(chance: Random, cluster: Cluster, record_property: Record) -> None:
    cluster.start_workers(SECONDS)
    cluster.start_job()

    cluster.reach_any_moment(chance)
    chance.choice((celery_killed, child_killed))(cluster, cluster.workers[0], chance)

    cluster.check()
    record_property("seconds", cluster.job.seconds)


def test_a_worker_may_stand_still_for_a_minute(chance: Random, cluster: Cluster) -> None:
    cluster.start_workers(SECONDS, 2.0)  # the other one is so slow that the job lasts for longer
    cluster.start_job()

    cluster.reach_any_moment(chance, 20)
    stop(cluster, cluster.workers[0], 60)

    cluster.check()
