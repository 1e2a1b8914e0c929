"""The planned device becomes torch's, with its switches."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch

from app.errors import UsageError
from app.machine.facts import Capability, Gpu
from app.plan.plan import make_plan
from app.train.device import make_fabric, open_device, planned_gpu
from tests.train.asking import HERE, asked

CARD = Gpu(
    index=3, kind="cuda", capability=Capability(9, 0), memory_mib=80000, free_mib=80000, name="H100", driver="600"
)
WITH_CARD = replace(HERE, gpus=(CARD,))


@pytest.fixture(autouse=True)
def switches() -> Iterator[None]:
    """torch's switches as they were."""
    before = torch.get_float32_matmul_precision()
    yield
    torch.set_float32_matmul_precision(before)
    torch.backends.cudnn.benchmark = False


def test_the_cpu_is_opened_with_full_precision() -> None:
    assert open_device(make_plan(HERE, "mini", asked()), HERE) == torch.device("cpu")
    assert torch.get_float32_matmul_precision() == "highest"


def test_a_card_is_opened_by_its_place_with_tf32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:64")
    plan = make_plan(WITH_CARD, "mini", asked(device="cuda:3"))
    assert planned_gpu(plan, WITH_CARD) is CARD
    assert open_device(plan, WITH_CARD) == torch.device("cuda", 0)
    assert torch.get_float32_matmul_precision() == "high"


def test_bfloat16_casts_on_the_cpu_and_float32_does_not() -> None:
    one = torch.ones(2, 2)
    with make_fabric(torch.device("cpu"), "bf16").autocast():
        assert (one @ one).dtype == torch.bfloat16
    with make_fabric(torch.device("cpu"), "fp32").autocast():
        assert (one @ one).dtype == torch.float32


def test_half_precision_is_for_gpus() -> None:
    with pytest.raises(UsageError, match="GPUs"):
        open_device(make_plan(HERE, "mini", asked(precision="fp16")), HERE)
