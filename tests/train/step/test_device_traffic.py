"""A whole training step stays on its device: nothing is read back, copied to it, or computed beside it."""

import importlib
from collections.abc import Callable, Mapping
from contextlib import nullcontext

import pytest
import torch
from torch import Tensor

from tests.device_traffic import DEVICE, DeviceTraffic, OffDeviceError
from voxmatrix.tables.quality import HOP, qualities
from voxmatrix.train.config import LOSSES
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
from voxmatrix.train.monitor.metrics import Meter
from voxmatrix.train.step.oom_recovery import MemorySavings, OomRecovery
from voxmatrix.train.step.step import gradients, make_optimisers, update
from voxmatrix.vits import synthesizer
from voxmatrix.vits.alignment import prior_scores
from voxmatrix.vits.layers.gradient_checkpointing import set_gradient_checkpointing

FRAMES, SYMBOLS = 40, 12


@pytest.fixture(autouse=True)
def _fused_optimiser(monkeypatch: pytest.MonkeyPatch) -> None:
    """The optimiser of GPUs, which torch refuses on devices that it does not list."""
    adam = importlib.import_module("torch.optim.adam")
    monkeypatch.setattr(adam, "_device_dtype_check_for_fused", lambda *_, **__: None)


def take_step(
    quality: str, speakers: int = 1, *, half: bool = False, tight: bool = False
) -> tuple[Mapping[str, Tensor], DeviceTraffic]:
    """A step over two clips; `half`: with loss scaling; `tight`: in two parts, with gradient checkpointing."""
    networks = synthetic_networks(qualities()[quality], DEVICE, speakers)
    set_gradient_checkpointing([networks.generator], tight)
    optimisers = make_optimisers(networks, 1e-4, DEVICE, half)
    batch: Batch = synthetic_batch(2, FRAMES * HOP, SYMBOLS, speakers).to(DEVICE)
    savings = MemorySavings(max_padded_samples=FRAMES * HOP if tight else None)
    with DeviceTraffic() as traffic:
        losses = gradients(
            networks,
            optimisers.scaler,
            [batch],
            seeds=[1],
            autocast=nullcontext,
            split=OomRecovery(device="meta", savings=savings).parts,
        )
        update(networks, optimisers, clip_norm=1.0)
        Meter().add(losses, samples=1)
    return losses, traffic


def assert_stays(losses: Mapping[str, Tensor], traffic: DeviceTraffic) -> None:
    assert set(losses) == set(LOSSES)
    assert {loss.device for loss in losses.values()} == {DEVICE}
    assert (traffic.reads, traffic.uploads, traffic.on_cpu) == ([], [], set())


#: Those of the same shape as `medium` differ in widths only.
QUALITIES = [pytest.param(name, marks=pytest.mark.slow if name in {"x_low", "low"} else ()) for name in qualities()]


@pytest.mark.parametrize("quality", QUALITIES)
def test_a_step_of_every_quality_neither_waits_for_the_device_nor_leaves_it(quality: str) -> None:
    assert_stays(*take_step(quality))


@pytest.mark.parametrize("options", [{"speakers": 3}, {"half": True}, {"tight": True}], ids=lambda one: next(iter(one)))
def test_speakers_loss_scaling_and_saving_memory_do_not_change_that(options: dict[str, int]) -> None:
    assert_stays(*take_step("tiny", **options))


PLANTS: dict[str, Callable[[Tensor], Tensor]] = {
    "item": lambda x: x * x.item(),
    "if": lambda x: x if x > 0 else -x,
    "cpu": lambda x: x.cpu(),
    "numpy": lambda x: x + float(x.numpy()),
    "nonzero": lambda x: x + x.reshape(1).nonzero().sum(),
    "mask": lambda x: x + x.reshape(1)[x.reshape(1) > 0].sum(),
    "CPU tensor": lambda x: x + torch.ones(1),
    "CPU number": lambda x: x * torch.tensor(2.0),
    "index on the CPU": lambda x: x + x.expand(3)[torch.arange(2)].sum(),
    "copy to the device": lambda x: x + torch.ones(1).to(x.device),
}


@pytest.mark.parametrize("plant", PLANTS)
def test_what_reads_back_copies_or_mixes_devices_in_a_step_is_noticed(
    plant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planted(*inputs: Tensor) -> Tensor:
        scores = prior_scores(*inputs)
        return scores + PLANTS[plant](scores.mean())

    monkeypatch.setattr(synthesizer, "prior_scores", planted)
    with pytest.raises((OffDeviceError, RuntimeError, TypeError, AssertionError)):
        assert_stays(*take_step("tiny"))
