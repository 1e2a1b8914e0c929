"""One GPU through a pretended NVML."""
# ruff: noqa: N802, N815

import os
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.machine.nvml_library import NVMLError, NvmlLibrary
from tests.machine.pretended import pretend_memory
from voxmatrix.machine.sensors.nvml import nvml_sensor
from voxmatrix.machine.sensors.reading import Reading

MIB = 1024 * 1024
OWN = os.getpid()


@dataclass(eq=False)
class Device:
    uuid: str = "GPU-5"
    memory: tuple[int, int] | None = (12288, 1024)  # all and free
    busy: int | None = 93
    temperature: int | None = 71
    slowdown: int | None = 90
    margin: int | None = None
    milliwatts: int | None = 170500
    compute: dict[int, int | None] | None = field(default_factory=dict)  # processes and MiB
    graphics: dict[int, int | None] | None = field(default_factory=dict)
    card: "Device | None" = None  # of a slice


class Nvml(NvmlLibrary):
    """The functions of pynvml that are asked."""

    NVML_TEMPERATURE_GPU = 0
    NVML_TEMPERATURE_THRESHOLD_SLOWDOWN = 1

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> Device:
        return self.supported(next((device for device in self.devices if device.uuid == uuid), None))

    def nvmlDeviceIsMigDeviceHandle(self, device: Device) -> int:
        return int(device.card is not None)

    def nvmlDeviceGetDeviceHandleFromMigDeviceHandle(self, device: Device) -> Device:
        return self.supported(device.card)

    def nvmlDeviceGetCudaComputeCapability(self, device: Device) -> tuple[int, int]:
        return 12, 1

    def nvmlDeviceGetMemoryInfo(self, device: Device) -> Any:
        total, free = self.supported(device.memory)
        return SimpleNamespace(total=total * MIB, free=free * MIB)

    def nvmlDeviceGetUtilizationRates(self, device: Device) -> Any:
        return SimpleNamespace(gpu=self.supported(device.busy), memory=1)

    def nvmlDeviceGetTemperature(self, device: Device, sensor: int) -> int:
        return self.supported(device.temperature)

    def nvmlDeviceGetTemperatureThreshold(self, device: Device, threshold: int) -> int:
        return self.supported(device.slowdown)

    def nvmlDeviceGetMarginTemperature(self, device: Device) -> int:
        return self.supported(device.margin)

    def nvmlDeviceGetPowerUsage(self, device: Device) -> int:
        return self.supported(device.milliwatts)

    def nvmlDeviceGetComputeRunningProcesses(self, device: Device) -> list[Any]:
        return self._processes(device.compute)

    def nvmlDeviceGetGraphicsRunningProcesses(self, device: Device) -> list[Any]:
        return self._processes(device.graphics)

    def _processes(self, held: dict[int, int | None] | None) -> list[Any]:
        return [
            SimpleNamespace(pid=number, usedGpuMemory=None if mib is None else mib * MIB)
            for number, mib in self.supported(held).items()
        ]


def look(nvml: Nvml, uuid: str = "5", root: Path = Path("/nowhere")) -> Reading:
    with nvml_sensor(nvml, "cuda:0", uuid, root, clock=lambda: 5.0) as gauge:
        assert nvml.open == 1
        reading = gauge()
    assert nvml.open == 0
    return reading


@pytest.mark.parametrize("uuid", ["5", "GPU-5"])  # torch leaves the word before it out
def test_a_card_tells_all(uuid: str) -> None:
    assert look(Nvml(Device(uuid="GPU-4"), Device()), uuid) == Reading(
        device="cuda:0",
        seconds=5.0,
        used_mib=11264,
        total_mib=12288,
        needed_mib=11264,
        utilisation=0.93,
        temperature_c=71.0,
        throttle_c=90.0,
        power_w=170.5,
    )


def test_a_slice_has_its_memory_and_the_heat_of_its_card() -> None:
    whole = Device(uuid="GPU-1", memory=(81920, 1), temperature=64, slowdown=92)
    part = Device(
        uuid="MIG-7", memory=(9728, 9000), busy=None, temperature=None, slowdown=None, milliwatts=80000, card=whole
    )
    reading = look(Nvml(whole, part), "7")
    assert (reading.used_mib, reading.total_mib) == (728, 9728)
    assert (reading.temperature_c, reading.throttle_c) == (64.0, 92.0)
    assert (reading.utilisation, reading.power_w) == (None, None)

    part.memory = None  # unknown, and not the computer's
    assert look(Nvml(whole, part), "7").total_mib is None


@pytest.mark.parametrize("memory", [None, (0, 0)])
def test_a_card_that_shares_the_memory_of_the_computer_tells_that(
    memory: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_memory(monkeypatch, total_mib=120 * 1024, available_mib=90 * 1024)
    reading = look(Nvml(Device(memory=memory)))
    assert (reading.used_mib, reading.total_mib, reading.needed_mib) == (30 * 1024, 120 * 1024, 30 * 1024)
    assert reading.utilisation == 0.93


def test_memory_that_a_card_stops_to_tell_is_unknown_and_not_the_computers() -> None:
    device = Device()
    with nvml_sensor(Nvml(device), "cuda:0", "5") as gauge:
        assert gauge().total_mib == 12288
        device.memory = None
        assert gauge().total_mib is None


def test_facts_that_a_card_does_not_know_cost_themselves_alone() -> None:
    silent = Device(busy=None, temperature=None, slowdown=None, milliwatts=None, compute=None, graphics=None)
    reading = look(Nvml(silent))
    assert (reading.utilisation, reading.temperature_c, reading.throttle_c, reading.power_w) == (None,) * 4
    assert reading.others_mib is None
    assert reading.used_mib == 11264


@pytest.mark.parametrize("slowdown", [None, 0])
def test_newer_cards_say_how_far_their_limit_is_away(slowdown: int | None) -> None:
    assert look(Nvml(Device(slowdown=slowdown, margin=16))).throttle_c == 87.0
    assert look(Nvml(Device(slowdown=slowdown, margin=0, temperature=None))).throttle_c is None


@pytest.mark.parametrize(
    ("compute", "graphics", "others"),
    [
        ({OWN: 8000, 1: 3000}, {1: 3000, 2: 200}, 3200),  # one that computes and draws counts once
        ({OWN: 8000}, {}, 0),
        ({1: 3000}, {}, None),  # in a container our number is another one
        ({OWN: None, 1: None}, {}, None),  # Windows does not say
        ({OWN: 8000, 1: None}, {}, None),
        ({}, None, None),
    ],
)
def test_memory_of_other_programs_is_told_where_it_is_known(
    compute: dict[int, int | None], graphics: dict[int, int | None] | None, others: int | None
) -> None:
    assert look(Nvml(Device(compute=compute, graphics=graphics))).others_mib == others


def test_a_card_that_nobody_knows_is_the_callers_to_judge_and_the_library_is_closed() -> None:
    nvml = Nvml(Device())
    with pytest.raises(NVMLError), nvml_sensor(nvml, "cuda:0", "other"):
        pass
    assert nvml.open == 0


def test_older_bindings_have_no_margin() -> None:
    class Older(Nvml):
        nvmlDeviceGetMarginTemperature = None  # type: ignore[assignment]

    assert look(Older(Device(slowdown=None))).throttle_c is None


def test_the_real_bindings_have_every_function_that_is_pretended_here() -> None:
    bindings = pytest.importorskip("pynvml")
    pretended = [name for name in vars(Nvml) if name.startswith(("nvml", "NVML_"))]
    assert len(pretended) > 12
    assert [name for name in (*pretended, "NVMLError") if not hasattr(bindings, name)] == []
