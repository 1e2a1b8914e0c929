"""A GPU of the facts becomes torch's device, and CUDA's variables are set without overruling anybody."""

import sys
import types
from typing import Any

import pytest
import torch

from voxmatrix.compute.device import backend, merged_allocator, prepare_environment, torch_device, torch_name
from voxmatrix.errors import MissingProgramError, NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.probes import cuda_driver

OLD = Gpu(index=0, kind="cuda", uuid="GPU-aaaa", name="old")
NEW = Gpu(index=2, kind="cuda", uuid="GPU-bbbb", name="new")  # 1 is hidden by CUDA_VISIBLE_DEVICES
INTEL = Gpu(index=0, kind="xpu", name="Arc")
HERE = Machine(platform="linux", cpus=4, gpus=(OLD, NEW, INTEL))


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What torch says of the uuids of its devices. A torch with CUDA would ask the driver of this computer."""
    shown: list[str] = []
    monkeypatch.setattr(cuda_driver, "read_error", lambda position: None)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(shown))
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda place: types.SimpleNamespace(uuid=shown[place]))
    return shown


def test_no_gpu_is_the_cpu() -> None:
    assert torch_device(None, HERE) == torch.device("cpu")


@pytest.mark.parametrize(
    ("uuids", "ordinal"), [(["aaaa", "bbbb"], 1), (["BBBB", "aaaa"], 0), (["", ""], 1), (["bbbb", "bbbb"], 1)]
)
def test_a_card_is_known_by_its_uuid_else_by_its_place_among_the_visible(
    cards: list[str], uuids: list[str], ordinal: int
) -> None:
    cards.extend(uuids)
    assert torch_device(NEW, HERE) == torch.device("cuda", ordinal)


def test_a_card_that_torch_does_not_see_is_refused(cards: list[str]) -> None:
    cards.append("aaaa")
    with pytest.raises(NoDeviceError, match="sees 1 CUDA devices"):
        torch_device(NEW, HERE)


def test_a_card_on_which_cuda_does_not_start_is_refused_with_what_to_do(
    cards: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cards.extend(["aaaa", "bbbb"])
    monkeypatch.setattr(torch.version, "cuda", "12.8")  # a build for CUDA
    asked: list[int] = []
    monkeypatch.setattr(cuda_driver, "read_error", lambda position: asked.append(position) or "cuda 802")
    with pytest.raises(NoDeviceError, match="NVLink switches") as caught:
        torch_device(NEW, HERE)
    assert "nvidia-fabricmanager" in caught.value.remedy
    assert asked == [1]  # its place among the visible ones


def test_an_amd_gpu_is_a_cuda_device_of_torch_and_an_intel_one_is_xpu(
    cards: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No such GPU is at hand: torch's functions are stand-ins."""
    cards.extend(["", ""])
    second = Gpu(index=1, kind="rocm", name="Radeon", uuid="GPU-ab12")
    amd = Machine(platform="linux", cpus=4, gpus=(INTEL, Gpu(index=0, kind="rocm"), second))
    assert torch_device(second, amd) == torch.device("cuda", 1)
    monkeypatch.setattr(torch.xpu, "device_count", lambda: 1)
    assert torch_device(INTEL, amd) == torch.device("xpu", 0)
    monkeypatch.setattr(torch.xpu, "device_count", lambda: 0)
    with pytest.raises(NoDeviceError, match="sees 0 XPU devices") as caught:
        torch_device(INTEL, amd)
    assert "--device /dev/dri" in caught.value.remedy


def test_a_child_is_told_the_name_that_torch_knows() -> None:
    assert [torch_name(name) for name in ("cpu", "cuda:0", "rocm:1", "xpu:0")] == ["cpu", "cuda:0", "cuda:1", "xpu:0"]


def test_memory_and_synchronisation_are_those_of_the_backend() -> None:
    assert backend(torch.device("cuda:1")) is torch.cuda
    assert backend(torch.device("xpu")) is torch.xpu
    assert backend(torch.device("cpu")) is None
    for name in ("empty_cache", "synchronize", "max_memory_reserved", "reset_peak_memory_stats", "device"):
        assert callable(getattr(torch.xpu, name)), name


def test_other_kinds_are_refused() -> None:
    with pytest.raises(NoDeviceError, match="mps:0"):
        torch_device(Gpu(index=0, kind="mps"), HERE)


def test_directml_opens_its_adapter_and_says_when_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = Gpu(index=1, kind="directml")
    monkeypatch.setitem(sys.modules, "torch_directml", None)
    with pytest.raises(MissingProgramError, match="torch-directml"):
        torch_device(adapter, HERE)
    asked: list[int] = []
    stand_in: Any = types.SimpleNamespace(device=lambda index: asked.append(index) or torch.device("meta"))
    monkeypatch.setitem(sys.modules, "torch_directml", stand_in)
    assert torch_device(adapter, HERE) == torch.device("meta")
    assert asked == [1]


@pytest.mark.parametrize(
    ("theirs", "together"),
    [
        ({}, "expandable_segments:True"),
        ({"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64"}, "max_split_size_mb:64,expandable_segments:True"),
        ({"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:False"}, "expandable_segments:False"),
        ({"PYTORCH_ALLOC_CONF": "backend:native"}, ""),
    ],
)
def test_what_a_person_set_for_the_allocator_holds(theirs: dict[str, str], together: str) -> None:
    assert merged_allocator("expandable_segments:True", theirs) == together


def test_cuda_counts_by_the_bus_unless_somebody_said_otherwise() -> None:
    ours: dict[str, str] = {}
    prepare_environment("", ours)
    assert ours == {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
    theirs = {"CUDA_DEVICE_ORDER": "FASTEST_FIRST"}
    prepare_environment("expandable_segments:True", theirs)
    assert theirs["CUDA_DEVICE_ORDER"] == "FASTEST_FIRST"
