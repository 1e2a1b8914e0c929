"""Losses and speed between two reports."""

import pytest
import torch

from voxmatrix.train.config import LOSSES
from voxmatrix.train.monitor import metrics
from voxmatrix.train.monitor.metrics import Meter


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(metrics, "time", clock)
    return clock


def losses(value: float) -> dict[str, torch.Tensor]:
    return {name: torch.tensor(value) for name in LOSSES}


def test_losses_are_means_since_the_last_reset(clock: Clock) -> None:
    it = Meter()
    it.add(losses(9.0), 100)
    it.reset()
    it.add(losses(1.0), 100)
    it.add(losses(2.0), 100)
    assert it.losses() == dict.fromkeys(LOSSES, 1.5)


def test_speed_is_that_of_the_last_minute_and_includes_all_time(clock: Clock) -> None:
    it = Meter()
    for step in range(20):
        it.add(losses(1.0), 16000)
        clock.now += 4 if step < 10 else 8
        it.reset()
    it.add(losses(1.0), 32000)
    clock.now += 32  # with a validation
    assert it.steps_per_second() == pytest.approx(9 / 96)
    assert it.samples_per_second() == pytest.approx((8 * 16000 + 32000) / 96)


def test_without_a_step_there_are_no_losses(clock: Clock) -> None:
    assert Meter().losses() == {}


def test_losses_of_discriminators_that_have_not_started_are_left_out_and_others_never(clock: Clock) -> None:
    it = Meter()
    it.add(losses(1.0) | {"adversarial": torch.tensor(0.0), "mel": torch.tensor(float("nan"))}, 100)

    assert it.losses().keys() == set(LOSSES) - {"adversarial"}


def test_a_restarted_clock_leaves_earlier_steps_out_of_the_speed_but_not_out_of_the_losses(clock: Clock) -> None:
    it = Meter()
    it.add(losses(1.0), 16000)
    clock.now += 60
    it.restart_clock()
    it.add(losses(2.0), 16000)
    clock.now += 2
    assert it.steps_per_second() == pytest.approx(0.5)
    assert it.samples_per_second() == pytest.approx(8000)
    assert it.losses() == dict.fromkeys(LOSSES, 1.5)
