"""Children that measure, die, hang, raise or find memory full: each is a result, in time."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from voxmatrix.compute.child import place
from voxmatrix.train.tune import search_process as module
from voxmatrix.train.tune.batch_search import SearchBounds, TriedBatch
from voxmatrix.train.tune.search_process import SearchProcess
from voxmatrix.train.tune.trial import TrialJob

pytestmark = pytest.mark.usefixtures("forked_programs")

JOB = TrialJob(
    device="cpu", name=None, quality="tiny", precision="fp32", checkpointed=False, tf32=False, cudnn_benchmark=False,
    graphs=False, threads=1, samples=16000, symbols=20, speakers=1, free_mib=None,
)  # fmt: skip
#: Not careful: as a GPU with a memory of its own is measured.
BOUNDS = SearchBounds(limit_mib=2**20, max_batch=8)


def series(job: TrialJob = JOB, bounds: SearchBounds = BOUNDS) -> tuple[SearchProcess, list[str]]:
    told: list[str] = []

    def on_tried(tried: TriedBatch) -> None:
        told.append(str(tried.batch_size))

    made = SearchProcess(job=job, bounds=bounds)
    made.run(place(None).environment, on_tried, lambda size, why: told.append(f"{size} not: {why}"))
    return made, told


def sizes(made: SearchProcess) -> list[int]:
    return [each.batch_size for each in made.tried]


def test_a_child_measures_whole_steps_and_says_so_size_by_size() -> None:
    made, told = series(bounds=replace(BOUNDS, max_batch=4))
    assert sizes(made) == [1, 2, 4]
    assert told == ["1", "2", "4"]
    assert (made.ended, made.problem) == ("batch 4 is the largest size tried", "")
    assert all(each.peak_mib > 100 and each.step_seconds > 0 for each in made.tried)
    peaks = [each.peak_mib for each in made.tried]
    assert peaks == sorted(peaks)


def test_a_full_memory_is_a_result(break_children: Callable[[str], None]) -> None:
    break_children("4=memory")
    made, told = series()
    assert sizes(made) == [1, 2, 3]
    assert (made.ended, made.problem) == ("batch 4 does not fit", "")
    assert told == ["1", "2", "4 not: out of memory", "3"]


def test_where_memory_is_the_computers_no_size_is_tried_that_would_take_too_much() -> None:
    first = series(bounds=replace(BOUNDS, max_batch=1))[0].tried[0]
    bounds = SearchBounds(limit_mib=first.peak_mib + 150, never_exceed=True, clip_mib=100)
    made, told = series(bounds=bounds)
    assert sizes(made)[:2] == [1, 2]
    assert made.problem == ""
    assert all(each.peak_mib <= bounds.limit_mib for each in made.tried)
    assert not any("out of memory" in line for line in told)


@pytest.mark.parametrize(("how", "why"), [("die", "SIGABRT"), ("raise", "RuntimeError: broken by")])
def test_a_child_that_dies_counts_as_not_fitting_and_another_goes_on(
    how: str, why: str, break_children: Callable[[str], None]
) -> None:
    break_children(f"4={how}")
    made, told = series()
    assert sizes(made) == [1, 2, 3]
    assert (made.ended, made.problem) == ("batch 4 does not fit", "")
    assert told[:2] == ["1", "2"]
    assert "4 not: " in told[2]
    assert why in told[2]


def test_where_memory_is_the_computers_nothing_goes_on_after_a_death(break_children: Callable[[str], None]) -> None:
    break_children("4=die")
    made, _ = series(bounds=replace(BOUNDS, never_exceed=True, clip_mib=10))
    assert sizes(made) == [1, 2]
    assert "batch 4: its process was terminated by SIGABRT" in made.problem


def test_a_child_that_says_nothing_for_too_long_is_ended(
    monkeypatch: pytest.MonkeyPatch, break_children: Callable[[str], None]
) -> None:
    break_children("1=hang")
    monkeypatch.setattr(module, "START_SECONDS", 9.0)
    made, told = series(bounds=replace(BOUNDS, size_seconds=1.0))
    assert made.tried == []
    assert made.problem == "batch 1: it printed nothing for 10 s and was stopped"
    assert told == ["1 not: it printed nothing for 10 s and was stopped"]


def test_all_of_it_has_a_limit(monkeypatch: pytest.MonkeyPatch, break_children: Callable[[str], None]) -> None:
    break_children("1=hang")
    monkeypatch.setattr(module, "START_SECONDS", 5.0)
    made, _ = series(bounds=replace(BOUNDS, limit_seconds=5.0))
    assert made.tried == []
    assert "did not finish within" in made.problem


def test_a_child_that_cannot_begin_says_why() -> None:
    made, told = series(replace(JOB, quality="huge"))
    assert (made.tried, told) == ([], [])
    assert "huge" in made.problem
    made, _ = series(replace(JOB, device="cuda:7"))
    assert "cuda" in made.problem.lower()  # a torch with CUDA lacks libcuda
