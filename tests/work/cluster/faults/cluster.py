"""The cluster of one run."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from tests.work.cluster.jobs import Job, some_sentences, write_voice
from tests.work.cluster.processes import ClusterWorker, RedisServer, wait_until
from voxmatrix.errors import UnreachableError
from voxmatrix.work.unit import Unit

UNITS = 60
#: What a worker takes for a unit.
SECONDS = 0.05


class Cluster:
    """Redis, workers and a job."""

    def __init__(
        self, server: RedisServer, start: Callable[..., ClusterWorker], folder: Path, audio: dict[str, str]
    ) -> None:
        self.server, self._start, self._folder = server, start, folder
        #: What the job has to end with.
        self.audio = audio
        self.workers: list[ClusterWorker] = []
        self.voice = write_voice(folder)
        self.job: Job

    def start_workers(self, *seconds: float, damage: Sequence[str] = ()) -> None:
        """One worker for each number, which is what it takes for a unit."""
        damage = damage or [""] * len(seconds)
        self.workers = [
            self._start(self.server.url, name, seconds=each, damage=harm, wait=False)
            for name, each, harm in zip("abc", seconds, damage, strict=False)
        ]
        wait_until(lambda: all(worker.ready() for worker in self.workers))

    def start_again(self, worker: ClusterWorker) -> None:
        """Another worker of the same name."""
        self.workers.append(self._start(self.server.url, worker.name, seconds=SECONDS, wait=False))

    def start_job(self, *more: Unit) -> None:
        """Speak all units, and more if there are any."""
        self.job = self.new_job([*more, *some_sentences(self.voice, UNITS)])

    def new_job(self, units: list[Unit]) -> Job:
        """A job in the folder of this run."""
        return Job(self.server.url, self.voice, self._folder / "job", units)

    def reach_any_moment(self, chance: Random, end: int = UNITS) -> None:
        """Wait until some units, or none yet, are done."""
        self.job.until(chance.randrange(end))
        time.sleep(chance.uniform(0, 0.5))

    def check(self) -> None:
        """The job ends complete, with the same audio as without a cluster.

        One that had not reached Redis yet ends with that reason, and the same job goes on.
        """
        try:
            outcome = self.job.end()
        except UnreachableError:
            assert not self.job.events
            self.job = self.job.again()
            outcome = self.job.end()
        assert outcome.given_up == ()
        assert self.job.audio() == self.audio
