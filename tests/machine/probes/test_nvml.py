"""Cards as NVML describes them: a pretended library with the answers that its documentation knows."""
# ruff: noqa: N802

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from tests.machine.nvml_library import NVMLError, NvmlLibrary
from voxmatrix.machine.probes.nvidia import visible_gpus
from voxmatrix.machine.probes.nvml import read_cards

MIB = 1024 * 1024


@dataclass
class Device:
    bus: bytes | str = "00000000:01:00.0"
    uuid: bytes | str = "GPU-1"
    name: bytes | str | None = "NVIDIA GB10"
    capability: tuple[int, int] | None = (12, 1)
    memory: int | None = None
    slices: list["Device"] | None = field(default=None)


class Nvml(NvmlLibrary):
    """The functions of pynvml that are asked."""

    NVML_DEVICE_MIG_ENABLE = 1

    def nvmlSystemGetDriverVersion(self) -> str:
        return "580.95.05"

    def nvmlDeviceGetCount(self) -> int:
        return len(self.devices)

    def nvmlDeviceGetHandleByIndex(self, number: int) -> Device:
        if self.devices[number].name == "lost":
            raise NVMLError("GPU is lost")
        return self.devices[number]

    def nvmlDeviceGetPciInfo(self, device: Device) -> Any:
        return SimpleNamespace(busId=device.bus)

    def nvmlDeviceGetUUID(self, device: Device) -> bytes | str:
        return device.uuid

    def nvmlDeviceGetName(self, device: Device) -> bytes | str:
        return self.supported(device.name)

    def nvmlDeviceGetCudaComputeCapability(self, device: Device) -> tuple[int, int]:
        return self.supported(device.capability)

    def nvmlDeviceGetMemoryInfo(self, device: Device) -> Any:
        total = self.supported(device.memory)
        return SimpleNamespace(total=total * MIB, free=total * MIB // 2)

    def nvmlDeviceGetMigMode(self, device: Device) -> tuple[int, int]:
        self.supported(device.slices)
        return 1, 1

    def nvmlDeviceGetMaxMigDeviceCount(self, device: Device) -> int:
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, device: Device, place: int) -> Device:
        if device.slices is None or place >= len(device.slices):
            raise NVMLError("not found")
        return device.slices[place]


def test_a_card_is_read_with_all_its_facts_also_from_bindings_that_answer_in_bytes() -> None:
    nvml = Nvml(Device(b"00000000:01:00.0", b"GPU-5", b"RTX 5090", (12, 0), 32607))
    (card,) = read_cards(nvml)

    assert (card.uuid, card.name, str(card.capability)) == ("GPU-5", "RTX 5090", "12.0")
    assert (card.memory_mib, card.free_mib, card.driver, card.mig) == (32607, 16303, "580.95.05", False)
    assert nvml.open == 0


@pytest.mark.parametrize("memory", [None, 0])
def test_memory_that_the_driver_does_not_say_is_unknown_and_shared(memory: int | None) -> None:
    (gpu,) = visible_gpus(read_cards(Nvml(Device(memory=memory))), None)
    assert (gpu.memory_mib, gpu.free_mib, gpu.unified) == (None, None, True)


def test_slices_have_their_own_memory_and_places_without_one_are_passed_over() -> None:
    slices = [Device(uuid="MIG-a", memory=9728, name="A100 MIG 1g.10gb"), Device(uuid="MIG-b", memory=19968, name=None)]
    (card,) = read_cards(Nvml(Device(name="A100", capability=(8, 0), memory=81920, slices=slices)))

    assert [(part.uuid, part.name, part.memory_mib) for part in card.slices] == [
        ("MIG-a", "A100 MIG 1g.10gb", 9728),
        ("MIG-b", None, 19968),
    ]


def test_a_fact_that_a_card_does_not_know_costs_that_fact_alone() -> None:
    (card,) = read_cards(Nvml(Device(name=None, capability=None, memory=100)))
    assert (card.name, card.capability, card.memory_mib) == (None, None, 100)


def test_a_card_that_fell_off_the_bus_costs_itself_alone_and_is_still_counted() -> None:
    lost, fine = Device(name="lost"), Device(name="T4", capability=(7, 5), memory=15360)
    first, second = visible_gpus(read_cards(Nvml(lost, fine)), None)

    assert (first.name, first.memory_mib) == ("T4", 15360)
    assert (second.name, second.memory_mib, second.unified) == (None, None, False)


def test_when_no_card_answers_the_caller_hears_why() -> None:
    nvml = Nvml(Device(name="lost"), Device(name="lost"))
    with pytest.raises(NVMLError, match="GPU is lost"):
        read_cards(nvml)
    assert nvml.open == 0


def test_a_library_without_a_driver_is_the_callers_to_judge() -> None:
    class Broken(Nvml):
        def nvmlInit(self) -> None:
            raise NVMLError("Driver Not Loaded")

    with pytest.raises(NVMLError):
        read_cards(Broken())


def test_the_real_bindings_have_every_function_that_is_pretended_here() -> None:
    bindings = pytest.importorskip("pynvml")
    pretended = [name for name in vars(Nvml) if name.startswith(("nvml", "NVML_"))]
    assert len(pretended) > 10
    assert [
        name for name in (*pretended, "NVMLError", "NVMLError_LibraryNotFound") if not hasattr(bindings, name)
    ] == []
