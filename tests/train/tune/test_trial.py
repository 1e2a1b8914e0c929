"""Steps that are measured are whole ones: everything that a training keeps is there when the peak is taken."""

from dataclasses import replace

import pytest
import torch

from tests.train.tune.test_search_process import JOB
from voxmatrix.errors import NoDeviceError
from voxmatrix.tables.training import Precision, memory_table
from voxmatrix.train.tune import trial as module
from voxmatrix.train.tune.trial import open_trial


def test_a_size_is_measured_with_both_networks_updated() -> None:
    trial = open_trial(JOB)
    before = {name: value.clone() for name, value in trial.networks.generator.state_dict().items()}
    tried = trial.measure(2)
    assert tried.batch_size == 2
    assert tried.seconds >= tried.step_seconds > 0
    assert trial.steps >= 2
    assert trial.optimisers.generator.state
    assert trial.optimisers.discriminator.state
    assert any(not torch.equal(before[name], value) for name, value in trial.networks.generator.state_dict().items())


@pytest.mark.parametrize("more", [{"checkpointed": True}, {"precision": "bf16"}, {"speakers": 3}])
def test_every_way_of_training_can_be_measured(more: dict[str, object]) -> None:
    assert open_trial(replace(JOB, **more)).measure(2).peak_mib > 100  # type: ignore[arg-type]


def test_losses_that_are_no_numbers_are_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "gradients", lambda *given, **more: {"mel": torch.tensor(float("nan"))})
    monkeypatch.setattr(module, "update", lambda *given: None)
    with pytest.raises(NoDeviceError, match="not finite after 1 step in fp32"):
        open_trial(JOB).measure(1)


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
def test_after_a_step_that_ran_out_of_memory_in_its_midst_others_can_be_measured(
    precision: Precision, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = open_trial(replace(JOB, precision=precision))
    real = trial.optimisers.generator.step
    with monkeypatch.context() as full, pytest.raises(MemoryError):
        full.setattr(trial.optimisers.generator, "step", _out_of_memory)
        trial.measure(2)
    trial.recover()
    assert all(parameter.grad is None for parameter in trial.networks.generator.parameters())
    assert trial.optimisers.generator.step == real
    assert trial.measure(1).batch_size == 1


def _out_of_memory(*_given: object, **_more: object) -> None:
    raise MemoryError


def test_on_a_gpu_what_cuda_itself_takes_counts_and_what_others_take_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    mib = 1024 * 1024
    monkeypatch.setattr(module, "peak_mib", lambda device: 5000.0)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda device: 2000 * mib)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (57_500 * mib, 80_000 * mib))
    gpu = replace(open_trial(JOB), device=torch.device("cuda", 0))
    gpu.job = replace(JOB, free_mib=60_000)  # before: 2000 for tensors and 500 for the context are gone since
    assert gpu._peak_mib() == 5500
    gpu.job = replace(JOB, free_mib=None)
    assert gpu._peak_mib() == 5000 + memory_table().process_mib


def test_a_device_that_does_not_say_what_is_taken_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "peak_mib", lambda device: None)
    with pytest.raises(NoDeviceError, match="does not report how much memory"):
        open_trial(JOB).measure(1)
