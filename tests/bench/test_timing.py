"""Only the runs after the warm-up count, and the device is waited for in each."""

import pytest
import torch
from torch import Tensor

from voxmatrix.bench import timing
from voxmatrix.bench.timing import busy, load, median_and_spread, seconds_of_runs, wait_for

CPU = torch.device("cpu")


def test_the_warm_up_is_done_and_not_counted() -> None:
    done: list[int] = []

    def work() -> Tensor:
        done.append(1)
        return torch.zeros(1)

    assert len(seconds_of_runs(work, CPU, runs=3, warmup=2)) == 3
    assert len(done) == 5


def test_cuda_is_waited_for_by_its_own_call_and_others_by_reading_a_number(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    waited: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "synchronize", waited.append)
    wait_for(torch.zeros(1), torch.device("cuda", 1))
    assert waited == [torch.device("cuda", 1)]

    read: list[tuple[int, ...]] = []
    monkeypatch.setattr(Tensor, "cpu", lambda self: read.append(tuple(self.shape)))
    wait_for(torch.zeros(3, 4, requires_grad=True), torch.device("privateuseone", 0))  # as torch calls DirectML
    assert read == [(1,)]


def test_every_run_is_waited_for(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    waited: list[object] = []
    monkeypatch.setattr(timing, "wait_for", lambda result, device: waited.append(device))
    seconds_of_runs(lambda: torch.zeros(1), CPU, runs=2, warmup=1)
    assert waited == [CPU] * 3


def test_one_hiccup_changes_neither_median_nor_spread() -> None:
    assert median_and_spread([2.0, 1.0, 3.0, 100.0, 2.0]) == (2.0, 1.0)
    assert median_and_spread([2.0]) == (2.0, 0.0)


@pytest.mark.parametrize(
    ("wanting", "cpus", "warned"), [(None, 2, False), (1.4, 2, False), (1.5, 2, True), (3, 64, False)]
)
def test_from_three_quarters_of_the_cpus_on(wanting: float | None, cpus: int, warned: bool) -> None:
    findings = busy(wanting, cpus)
    assert bool(findings) == warned
    assert all(f"CPUs {cpus})" in finding.problem for finding in findings)


def test_the_load_is_a_number_or_unknown() -> None:
    assert load() is None or load() >= 0  # type: ignore[operator]
