"""The load of the devices while a batch is spoken, and warnings before memory runs out or a device throttles."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from importlib import import_module
from typing import Any

from voxmatrix.machine.probes.probe import ask_psutil
from voxmatrix.machine.sensors.cpu import CpuSensor
from voxmatrix.machine.sensors.reading import BackgroundSensor, Sensor, describe_load
from voxmatrix.models.device import SpeakDevice, Warn
from voxmatrix.plan.pressure import PressureMonitor

_REMEDY = "close other programs, or stop (Ctrl-C keeps what is spoken) and continue with a smaller `parallel_voices`"


class BatchTelemetry:
    """Readings of the devices of a batch, taken in the background."""

    def __init__(self, sensors: Sequence[BackgroundSensor], warn: Warn) -> None:
        self._sensors = sensors
        self._monitors = [PressureMonitor(_REMEDY) for _ in sensors]
        self._warn = warn

    def check(self) -> None:
        """Warn about new problems."""
        for sensor, monitor in zip(self._sensors, self._monitors, strict=True):
            for finding in monitor.assess(sensor.new()):
                self._warn(finding)

    def load(self) -> str:
        """The current load of every device, as far as known."""
        return "  ".join(filter(None, (describe_load(sensor.latest()) for sensor in self._sensors)))


@contextmanager
def batch_telemetry(devices: Sequence[SpeakDevice], warn: Warn) -> Iterator[BatchTelemetry]:
    """Take readings of these devices until the batch ends."""
    sensors = [BackgroundSensor(_sensor(device)) for device in dict.fromkeys(devices)]
    try:
        yield BatchTelemetry(sensors, warn)
    finally:
        for sensor in sensors:
            sensor.close()


def _sensor(device: SpeakDevice) -> AbstractContextManager[Sensor]:
    return nullcontext(CpuSensor(busy_seconds=_busy_seconds)) if device.on is None else _gpu_sensor(device)


@contextmanager
def _gpu_sensor(device: SpeakDevice) -> Iterator[Sensor]:
    """A sensor for an NVIDIA GPU; other drivers are not read, and an error means no readings."""
    from voxmatrix.machine.sensors.nvml import nvml_sensor

    assert device.on is not None
    with nvml_sensor(import_module("pynvml"), device.on.gpu.device, device.on.gpu.uuid or "") as sensor:
        yield sensor


def _busy_seconds() -> float:
    """CPU time of this process and of the workers, which compute."""
    return sum(os.times()[:2]) + (ask_psutil(_children_seconds) or 0.0)


def _children_seconds(psutil: Any) -> float:
    seconds = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            seconds += sum(child.cpu_times()[:2])
        except psutil.Error:  # the child has exited
            continue
    return seconds
