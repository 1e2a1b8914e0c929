"""Processes that check recordings."""

import pytest

from tests.plan.computers import machine
from voxmatrix.plan.prepare_workers import choose_prepare_workers
from voxmatrix.settings import Setting


@pytest.mark.parametrize(("cpus", "workers"), [(1, 1), (2, 2), (16, 16), (64, 16)])
def test_one_for_each_cpu_up_to_16(cpus: int, workers: int) -> None:
    choice = choose_prepare_workers(machine(cpus=cpus), None)
    assert choice.value == workers
    assert f"{cpus} CPU" in choice.reason


def test_forced_stays() -> None:
    forced = Setting(value=40, reason="--prepare-workers", source="flag")
    assert choose_prepare_workers(machine(), forced) is forced
