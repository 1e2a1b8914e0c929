"""What a worker says about itself: in every heartbeat, in Flower, and when it is asked for its health."""

from dataclasses import dataclass
from typing import Any

import voxmatrix
from voxmatrix.machine.facts import Gpu
from voxmatrix.machine.sensors.reading import BackgroundSensor
from voxmatrix.work.cluster.worker.notices import Notices

OK = "ok"


@dataclass(frozen=True, kw_only=True)
class WorkerState:
    """What a running worker shares among its threads."""

    name: str
    boot: str  # of this start
    queue: str
    gpu: Gpu | None  # that it was given; None is the CPU
    notices: Notices
    sensor: BackgroundSensor

    def heartbeat(self) -> dict[str, Any]:
        """What the coordinator and Flower need to know every second."""
        status = self.notices.status()
        return {
            "boot": self.boot,
            "queue": self.queue,
            "device": status.device_type or self._given,
            "memory_free_mb": self._free_mb(),
            "speed": status.audio_seconds_per_second,
            "voxmatrix": voxmatrix.__version__,
        }

    def health(self) -> dict[str, Any]:
        """The health of `voxmatrix workers --json`."""
        status = self.notices.status()
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
