"""A child knows its device by the name that the parent gave it."""

import pytest
import torch

from voxmatrix.compute.device import device_in_child, open_device
from voxmatrix.errors import MissingProgramError, NoDeviceError
from voxmatrix.machine.probes import cuda_driver
from voxmatrix.machine.probes.limits import cpus


@pytest.fixture(autouse=True)
def cuda_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A torch with CUDA would ask the driver of this computer."""
    monkeypatch.setattr(cuda_driver, "read_error", lambda position: None)


def test_the_cpu_is_no_gpu_and_takes_the_threads_there_are() -> None:
    assert open_device(*device_in_child("cpu", "AMD EPYC")) == torch.device("cpu")
    assert torch.get_num_threads() == cpus()


@pytest.mark.parametrize("number", [0, 3])
def test_a_number_counts_what_the_child_sees(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    assert open_device(*device_in_child(f"cuda:{number}", "a card")) == torch.device("cuda", number)


def test_what_torch_does_not_see_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with pytest.raises(NoDeviceError, match=r"cuda:0 \(显卡\)"):
        open_device(*device_in_child("cuda:0", "显卡"))
    with pytest.raises(MissingProgramError, match="torch-directml"):
        open_device(*device_in_child("directml:1", None))
