"""Real steps of a training on the CPU, on clips that are made up."""

import pytest

from tests.bench.reports import HERE
from tests.plan.computers import RTX_3060, T4
from voxmatrix.bench.train import TrainBench, parts, planned_for
from voxmatrix.errors import NoDeviceError, UsageError
from voxmatrix.tables.training import Precision
from voxmatrix.train.step import step

SMALL = TrainBench(quality="tiny", batch_size=2, clip_seconds=1.0, steps=1, runs=2, warmup=1)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_steps_are_taken_and_counted(precision: Precision) -> None:
    from dataclasses import replace

    (part,) = parts(replace(SMALL, precision=precision), None, HERE)
    figures = part.measure()
    assert part.name == precision
    assert figures["clips_per_second"] == pytest.approx(2 * figures["steps_per_second"])
    assert figures["step_seconds"] * figures["steps_per_second"] == pytest.approx(1)
    assert figures["peak_mib"] > 100  # torch alone takes that


def test_every_step_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    changed: list[bool] = []
    take_step = step.take_step

    def watched(networks, optimisers, *rest, **named):  # type: ignore[no-untyped-def]
        before = [weight.clone() for weight in networks.generator.parameters()]
        losses = take_step(networks, optimisers, *rest, **named)
        after = networks.generator.parameters()
        changed.append(any(not old.equal(new) for old, new in zip(before, after, strict=True)))
        return losses

    monkeypatch.setattr(step, "take_step", watched)
    parts(SMALL, None, HERE)[0].measure()
    assert changed == [True] * 3  # one to warm up, two runs of one


def test_losses_that_are_no_numbers_are_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(step, "take_step", lambda *_, **__: {"mel": torch.tensor(float("nan"))})
    with pytest.raises(NoDeviceError, match="not finite after 1 step in fp32"):
        parts(SMALL, None, HERE)[0].measure()


def test_an_unknown_quality_is_usage() -> None:
    with pytest.raises(UsageError):
        parts(TrainBench(quality="huge"), None, HERE)[0].measure()


def test_a_training_is_measured_in_what_is_planned() -> None:
    formats = [
        (planned.precision, planned.tf32)
        for gpu in (None, T4, RTX_3060)
        for planned in [planned_for(gpu, TrainBench())]
    ]
    assert formats == [("fp32", False), ("fp16", False), ("bf16", True)]
