"""The batches that were sent to workers, each as a task of Celery, and what is new of them."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from voxmatrix.errors import UnreachableError, VoxmatrixError
from voxmatrix.speak.batch.messages import Failure
from voxmatrix.work.cluster.broker_client import BrokerClient
from voxmatrix.work.cluster.messages import BatchReport, audio_name, read_report
from voxmatrix.work.unit import Unit

#: Between looks at tasks that were given up, whose results are still welcome, and until they are forgotten.
_LATE_POLL_SECONDS, _LATE_SECONDS = 1.0, 300.0


@dataclass(eq=False)
class SentTask:
    """A batch that was sent to a worker."""

    name: str
    worker: str
    units: list[Unit]
    reported: set[int] = field(default_factory=set)
    last: Any = None  # the state that was read last
    given_up: float | None = None  # since when nobody waits for it

    def unreported(self) -> list[int]:
        """The indices of units of which nothing is known."""
        return [index for index in range(len(self.units)) if index not in self.reported]

    def new_failures(self, report: BatchReport) -> Iterator[tuple[Unit, Failure]]:
        """The units that failed, as far as they are reported for the first time."""
        for failed in report.failed:
            if failed.index < len(self.units) and failed.index not in self.reported:
                self.reported.add(failed.index)
                yield self.units[failed.index], failed.failure

    def audio_names(self, run: str) -> list[str]:
        """The names that the audio of its units has in the store."""
        return [audio_name(run, self.name, index) for index in range(len(self.units))]


class SentTasks:
    """The tasks that have not ended. Those that were given up are kept for a while."""

    def __init__(self, mailbox: BrokerClient) -> None:
        self._mailbox = mailbox
        self._tasks: dict[str, SentTask] = {}
        self._polled_late = 0.0

    def __iter__(self) -> Iterator[SentTask]:
        return iter(self._tasks.values())

    def add(self, task: SentTask) -> None:
        """A batch was sent."""
        self._tasks[task.name] = task

    def held(self, worker: str) -> list[SentTask]:
        """The batches that a worker has, in the order in which it speaks them."""
        return [task for task in self if task.worker == worker and task.given_up is None]

    def unreported(self, worker: str, keys: Collection[str]) -> dict[str, list[int]]:
        """Those of the units with these keys that a worker has and has not reported: their indices, by task."""
        found = {
            task.name: [index for index in task.unreported() if task.units[index].key in keys]
            for task in self
            if task.worker == worker
        }
        return {name: indices for name, indices in found.items() if indices}

    def give_up(self, worker: str) -> dict[str, list[int]]:
        """Wait no longer for what a worker has: the indices of what it has not reported, by task."""
        held, now = self.held(worker), time.monotonic()
        for task in held:
            task.given_up = now
        return {task.name: task.unreported() for task in held}

    def news(self, now: float) -> Iterator[tuple[SentTask, BatchReport | Failure, bool]]:
        """What is new of each task: a report, and whether it is the last one; or the failure with which it has ended.

        A task is new again the next time if the caller raises an error instead of asking for the next one.

        Raises:
            UnreachableError: the broker does not answer.
        """
        late = now - self._polled_late >= _LATE_POLL_SECONDS
        if late:
            self._polled_late = now
            self._forget_late(now)
        names = [task.name for task in self if late or task.given_up is None]
        if not names:
            return
        for name, state in self._mailbox.states(names).items():
            task = self._tasks[name]
            if state != task.last:
                if (report := _report(task.worker, state)) is not None:
                    yield task, report, state["status"] == "SUCCESS"
                task.last = state

    def forget(self, task: SentTask) -> None:
        """A task has ended."""
        del self._tasks[task.name]
        with suppress(UnreachableError):  # it expires by itself
            self._mailbox.forget([task.name])

    def _forget_late(self, now: float) -> None:
        old = [task.name for task in self if task.given_up and now - task.given_up > _LATE_SECONDS]
        self._mailbox.forget(old)
        for name in old:
            del self._tasks[name]


def remote_failure(problem: str, exit_code: int = VoxmatrixError.exit_code) -> Failure:
    """A failure that only the log of a worker explains."""
    return Failure(problem=problem, remedy="look at the log of that worker", exit_code=exit_code)


def _report(worker: str, state: Mapping[str, Any]) -> BatchReport | Failure | None:
    """What the state of a task says; None if nothing yet."""
    status, result = state.get("status"), state.get("result")
    if status in ("PROGRESS", "SUCCESS"):
        try:
            return read_report(result)
        except ValueError:
            return remote_failure(f"the worker {worker} reported something unreadable")
    if status in ("FAILURE", "REVOKED", "REJECTED"):
        kind = result.get("exc_type", status) if isinstance(result, dict) else status
        return remote_failure(f"the process of {worker} that spoke it ended ({kind})")
    return None
