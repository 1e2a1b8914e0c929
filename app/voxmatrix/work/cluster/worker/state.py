"""What a worker says about itself: in every heartbeat, in Flower, and when it is asked for its health.

Also the remote commands by which it is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import voxmatrix
from voxmatrix.machine.facts import Gpu
from voxmatrix.machine.sensors.reading import BackgroundSensor
from voxmatrix.work.cluster.worker.control import ControlFolder, SpeakerStatus

OK = "ok"


@dataclass(frozen=True, kw_only=True)
class WorkerState:
    """What a running worker shares among its threads."""

    name: str
    incarnation: str  # of this start
    queue: str
    gpu: Gpu | None  # that it was given; None is the CPU
    control: ControlFolder
    sensor: BackgroundSensor

    def heartbeat(self) -> dict[str, Any]:
        """What the coordinator and Flower need to know every second."""
        status = self.control.status()
        return {
            "incarnation": self.incarnation,
            "queue": self.queue,
            "device": status.device_type or self._given,
            "memory_free_mb": self._free_mb(),
            "speed": status.audio_seconds_per_second,
            "voxmatrix": voxmatrix.__version__,
        }

    def health(self) -> dict[str, Any]:
        """The health of `voxmatrix workers --json`."""
        status = self.control.status()
        return {
            "name": self.name,
            "status": OK,
            "device_type": status.device_type or self._given,
            "gpu_available": self.gpu is not None,
            "gpu_count": int(self.gpu is not None),
            "gpu_memory_free_mb": (self._free_mb() or 0) if self.gpu is not None else 0,
            "tts_model_loaded": bool(status.cached_models),
            "cached_models": list(status.cached_models),
            "audio_seconds_per_second": status.audio_seconds_per_second,
            "busy_with": status.busy_with,
        }

    def statistics(self) -> dict[str, Any]:
        """What Flower's page of a worker lists under "other statistics": flat, as it shows no tables in tables."""
        health = self.health()
        del health["name"], health["status"]
        return {**health, "memory_free_mb": self._free_mb(), "voxmatrix": voxmatrix.__version__}

    @property
    def _given(self) -> str:
        return "cpu" if self.gpu is None else self.gpu.kind

    def _free_mb(self) -> int | None:
        """Free memory of the GPU, as found at the start if no longer known; on a CPU, that of the computer. In MiB."""
        reading = self.sensor.latest()
        if reading is None or reading.total_mib is None or reading.needed_mib is None:
            return self.gpu.free_mib if self.gpu is not None else None
        return reading.total_mib - reading.needed_mib


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
            state.control.cancel(str(task), [int(index) for index in indices])
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
        state.control.tell(SpeakerStatus())

    refresh()
    heartbeat_sent.connect(refresh)
    worker_shutting_down.connect(stop)
    worker_process_init.connect(begin)
    return refresh, stop, begin
