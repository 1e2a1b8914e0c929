"""The device that is asked for, and the precision on it."""

import pytest
import torch

from app.errors import NoDeviceError, UsageError
from app.train.device import choose_device, make_fabric


def test_auto_is_the_first_gpu_where_torch_can_use_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto") == torch.device("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device("auto") == torch.device("cuda:0")


def test_a_gpu_is_asked_for_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("cuda") == torch.device("cuda:0")
    assert choose_device("cuda:1") == torch.device("cuda:1")
    with pytest.raises(NoDeviceError, match="2 CUDA devices") as caught:
        choose_device("cuda:2")
    assert caught.value.exit_code == 4
    assert "--gpus all" in caught.value.remedy


@pytest.mark.parametrize("name", ["gpu", "cuda:-1", "cpu:one", ""])
def test_a_name_that_is_none_is_usage(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    with pytest.raises(UsageError, match="--device"):
        choose_device(name)


def test_bfloat16_casts_on_the_cpu_and_float32_does_not() -> None:
    one = torch.ones(2, 2)
    with make_fabric(torch.device("cpu"), "bf16").autocast():
        assert (one @ one).dtype == torch.bfloat16
    with make_fabric(torch.device("cpu"), "32").autocast():
        assert (one @ one).dtype == torch.float32


def test_half_precision_is_for_gpus() -> None:
    with pytest.raises(UsageError, match="GPUs"):
        make_fabric(torch.device("cpu"), "16")
