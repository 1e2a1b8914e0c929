"""A GPU of the facts becomes torch's device, and CUDA's variables are set without overruling anybody."""

import sys
import types
from typing import Any

import pytest
import torch

from voxmatrix.compute.device import merged_allocator, prepare_environment, torch_device
from voxmatrix.errors import MissingProgramError, NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine

OLD = Gpu(index=0, kind="cuda", uuid="GPU-aaaa", name="old")
NEW = Gpu(index=2, kind="cuda", uuid="GPU-bbbb", name="new")  # 1 is hidden by CUDA_VISIBLE_DEVICES
INTEL = Gpu(index=0, kind="xpu", name="Arc")
HERE = Machine(platform="linux", cpus=4, gpus=(OLD, NEW, INTEL))


@pytest.fixture
def cards(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What torch says of the uuids of its devices."""
    shown: list[str] = []
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


def test_other_kinds_are_refused() -> None:
    with pytest.raises(NoDeviceError, match="xpu:0"):
        torch_device(INTEL, HERE)


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
