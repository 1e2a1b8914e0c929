"""What a batch shows of its devices."""

from collections.abc import Sequence
from typing import Any

from voxmatrix.errors import Finding
from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.models.device import CPU
from voxmatrix.speak.batch.telemetry import BatchTelemetry, batch_telemetry


class Sampled:
    """In place of a thread that reads a device."""

    def __init__(self, *readings: Reading) -> None:
        self.readings = list(readings)

    def new(self) -> list[Reading]:
        return self.readings

    def latest(self) -> Reading | None:
        return self.readings[-1] if self.readings else None


def telemetry(warnings: list[Finding], *sensors: Sequence[Reading]) -> BatchTelemetry:
    sampled: Any = [Sampled(*readings) for readings in sensors]
    return BatchTelemetry(sampled, warnings.append)


def test_nearly_full_memory_is_reported_once_with_what_to_do() -> None:
    full = Reading(device="cuda:1", seconds=1.0, used_mib=12000, total_mib=12288, needed_mib=12000)
    warnings: list[Finding] = []
    watched = telemetry(warnings, [], [full])
    watched.check()
    watched.check()
    (warning,) = warnings
    assert "cuda:1" in warning.problem and "`parallel_voices`" in warning.remedy


def test_the_load_of_every_device_is_shown_as_far_as_it_is_known() -> None:
    gpu = Reading(device="cuda:0", seconds=1.0, used_mib=2048, total_mib=12288, utilisation=0.93, temperature_c=71.0)
    cpu = Reading(device="cpu", seconds=1.0, utilisation=0.5)
    assert telemetry([], [gpu], [], [cpu]).load() == "GPU 93 %  2.0/12.0 GiB  71 °C  CPU 50 %"
    assert telemetry([], []).load() == ""


def test_a_device_is_read_once_however_many_workers_use_it() -> None:
    warnings: list[Finding] = []
    with batch_telemetry([CPU, CPU], warnings.append) as watched:
        watched.check()
        assert watched.load().count("CPU") <= 1
