"""What Celery's own tools see of a worker: remote commands, the heartbeats and the statistics of Flower's page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from voxmatrix.work.cluster.worker.notices import SpeakerStatus
from voxmatrix.work.cluster.worker.state import WorkerState

#: Commands for `celery inspect` and `celery control`.
HEALTH = "voxmatrix_health"
CANCEL = "voxmatrix_cancel"


def register_commands(state: WorkerState) -> None:
    """Add the commands of a worker to those that Celery has, and its facts to the answer of `inspect stats`."""
    from celery.worker.control import Panel

    def health(_state: Any, **_arguments: Any) -> dict[str, Any]:
        """Device, memory, voices and speed of this worker."""
        return state.health()

    def cancel(_state: Any, tasks: Mapping[str, Sequence[int]], **_arguments: Any) -> dict[str, str]:
        """Units of tasks that this worker need not speak."""
        for task, indices in tasks.items():
            state.notices.cancel(str(task), [int(index) for index in indices])
        return {"ok": "cancelled"}

    of_celery = Panel.data["stats"]

    def stats(panel_state: Any, **arguments: Any) -> dict[str, Any]:
        """The figures that `celery inspect stats` and Flower show."""
        return {**of_celery(panel_state, **arguments), **state.statistics()}

    Panel.register(name=HEALTH, type="inspect")(health)
    Panel.register(name=CANCEL, type="control")(cancel)
    Panel.register(name="stats", type="inspect")(stats)


def tell_with_heartbeats(state: WorkerState, on_stop: Callable[[], None]) -> tuple[Any, ...]:
    """Put the facts of a worker into its heartbeats, and call `on_stop` when it begins to stop.

    Returns what must be kept for as long as the worker runs.
    """
    from celery.signals import heartbeat_sent, worker_process_init, worker_shutting_down
    from celery.worker.state import SOFTWARE_INFO

    def refresh(**_arguments: Any) -> None:
        SOFTWARE_INFO.update(state.heartbeat())

    def stop(**_arguments: Any) -> None:
        on_stop()

    def begin(**_arguments: Any) -> None:
        """A new child has no voice open yet."""
        state.notices.tell(SpeakerStatus())

    refresh()
    heartbeat_sent.connect(refresh)
    worker_shutting_down.connect(stop)
    worker_process_init.connect(begin)
    return refresh, stop, begin
