"""What torch adds to a driver's figures, with a pretended torch.cuda."""

import sys
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from voxmatrix.machine.sensors.cpu import CpuSensor
from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.train.monitor import device_sensor as subject
from voxmatrix.train.monitor.device_sensor import bus_address, device_sensor, with_allocator

MIB = 1024 * 1024
CUDA = torch.device("cuda", 0)
DRIVER = Reading(
    device="cuda:0", seconds=5.0, used_mib=11900, total_mib=12288, needed_mib=11900, utilisation=0.9, temperature_c=70
)


def statistics(reserved: int, peak: int) -> dict[str, int]:
    return {"reserved_bytes.all.current": reserved * MIB, "allocated_bytes.all.peak": peak * MIB}


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """torch.cuda of a computer with one GPU, whose properties can be changed."""
    properties = SimpleNamespace(uuid="5", is_integrated=0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda device: None)
    monkeypatch.setattr(torch.cuda, "memory_stats", lambda device: statistics(reserved=11000, peak=6000))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1288 * MIB, 12288 * MIB))
    return properties


def look(device: torch.device = CUDA) -> Reading:
    with device_sensor(device) as gauge:
        return gauge()


def test_a_cpu_has_the_computers_gauge() -> None:
    with device_sensor(torch.device("cpu")) as gauge:
        assert isinstance(gauge, CpuSensor)


def test_nvidias_driver_is_asked_for_the_card_that_torch_uses(
    cuda: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def pretended(nvml: Any, device: str, uuid: str) -> Any:
        asked.append((device, uuid))
        return nullcontext(lambda: DRIVER)

    monkeypatch.setattr(subject, "nvml_sensor", pretended)
    reading = look()
    assert asked == [("cuda:0", "5")]
    assert (reading.used_mib, reading.utilisation, reading.temperature_c) == (11900, 0.9, 70)
    assert reading.needed_mib == 6900  # 5000 MiB of what is used are the allocator's to hand out again


@pytest.mark.parametrize("missing", ["bindings", "driver"])
def test_without_nvidias_library_torch_itself_knows_memory(
    cuda: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def broken() -> None:
        raise OSError("libnvidia-ml.so.1 is not there")

    monkeypatch.setitem(sys.modules, "pynvml", None if missing == "bindings" else SimpleNamespace(nvmlInit=broken))
    reading = look()
    assert (reading.device, reading.used_mib, reading.total_mib, reading.needed_mib) == ("cuda:0", 11000, 12288, 6000)
    assert (reading.utilisation, reading.temperature_c) == (None, None)


def test_a_gpu_inside_a_processor_has_the_memory_of_the_computer(
    cuda: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda.is_integrated = 1
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr(subject, "with_computers_memory", lambda reading: DRIVER)
    assert look().total_mib == DRIVER.total_mib


def test_amds_card_is_found_by_its_address(cuda: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str | None]] = []
    cuda.pci_domain_id, cuda.pci_bus_id, cuda.pci_device_id = 0, 0xC1, 0
    monkeypatch.setattr(torch.version, "hip", "7.0")
    monkeypatch.setattr(subject, "find_adapter", lambda kind, bus: asked.append((kind, bus)))
    assert look().total_mib == 12288  # no such folder: torch's own figures
    assert asked == [("rocm", "0000:c1:00.0")]


def test_an_older_torch_does_not_say_an_address() -> None:
    assert bus_address(SimpleNamespace(uuid="5", pci_bus_id=3)) is None


@pytest.mark.parametrize(
    ("reserved", "peak", "needed"),
    [
        (11000, 6000, 6900),
        (11000, 11000, 11900),
        (4000, 6000, 11900),  # the cache was given back since
        (99999, 0, 0),
    ],
)
def test_a_full_cache_is_no_need_but_the_peak_is(reserved: int, peak: int, needed: int) -> None:
    assert with_allocator(DRIVER, statistics(reserved, peak)).needed_mib == needed


def test_an_allocator_that_counts_nothing_changes_nothing() -> None:
    unknown = Reading(device="cuda:0", seconds=0.0)
    assert with_allocator(DRIVER, {}) == DRIVER
    assert with_allocator(unknown, statistics(5, 1)) == unknown


@pytest.mark.gpu
def test_a_real_gpu_tells_memory_utilisation_and_heat() -> None:
    if torch.version.hip:
        pytest.skip("for NVIDIA's library")
    kept = torch.zeros(64 * MIB, dtype=torch.float32, device=CUDA)  # 256 MiB
    reading = look()
    assert reading.total_mib and reading.used_mib and 256 <= reading.used_mib <= reading.total_mib
    assert reading.needed_mib is not None and 256 <= reading.needed_mib <= reading.used_mib
    assert reading.utilisation is None or 0 <= reading.utilisation <= 1
    del kept
