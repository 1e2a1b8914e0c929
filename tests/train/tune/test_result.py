"""How what was measured is said: the numbers, and the line to type with what it changes."""

from dataclasses import replace
from typing import Any

import pytest

from tests.machine.measured import measurement
from voxmatrix.plan.budget import Budget
from voxmatrix.train.tune.batch_search import TriedBatch
from voxmatrix.train.tune.result import SearchOutcome, TuneResult, progress_line


def tuned(*outcomes: SearchOutcome, device: str = "cuda:0", **more: Any) -> TuneResult:
    facts: dict[str, Any] = {
        "devices": 1,
        "clips": 5000,
        "budget": Budget(mib=60000, why="90% of 66667 MiB free"),
        **more,
    }
    return TuneResult(device=device, name="NVIDIA H100", outcomes=outcomes, **facts)


def whole(sizes: tuple[int, ...] = (1, 128, 384), **more: Any) -> SearchOutcome:
    """Each larger batch is faster."""
    measured = measurement(1000, 150, sizes=sizes, **more)
    faster = tuple(replace(size, step_seconds=1 + size.step_seconds) for size in measured.sizes)
    return SearchOutcome(measurement=replace(measured, sizes=faster), ended="batch 400 does not fit")


def test_the_line_has_the_fastest_batch_and_says_what_it_changes() -> None:
    said = tuned(whole()).paragraph()
    assert "cuda:0 (NVIDIA H100) fits 384 clips of 10 s in medium, fp32: 58600 of 60000 MiB" in said
    assert "Batch 400 does not fit." in said
    assert "`batch_size=384` `accumulation=1`; each step then trains on 384 clips instead of 32" in said


def test_several_gpus_share_the_batch_that_is_typed() -> None:
    assert tuned(whole(), devices=2).line == "`batch_size=768` `accumulation=1`"


def test_no_batch_is_larger_than_what_there_is_to_learn_from() -> None:
    assert tuned(whole(), clips=100).line == "`batch_size=100` `accumulation=1`"


@pytest.mark.parametrize("most", [1, 8, 32])
def test_where_the_plan_uses_the_whole_device_there_is_nothing_to_type(most: int) -> None:
    few = tuned(whole(sizes=(most,)))
    assert few.line == ""
    assert "→" not in few.paragraph()


@pytest.mark.parametrize("device", ["cpu", "cuda:0"])
def test_a_batch_that_is_only_larger_is_not_recommended(device: str) -> None:
    sizes = tuple(
        replace(size, step_seconds=size.batch_size * (0.01 if size.batch_size == 64 else 0.02))
        for size in measurement(sizes=(1, 64, 128)).sizes
    )
    found = SearchOutcome(
        measurement=replace(measurement(), sizes=sizes, largest_batch=128), ended="batch 256 does not fit"
    )
    on_it = tuned(found, device=device)
    assert on_it.line == "`batch_size=64` `accumulation=1`"
    assert "use the fastest batch" in on_it.paragraph()


def test_of_two_ways_that_with_checkpointing_counts_for_it_was_needed() -> None:
    said = tuned(whole(sizes=(1, 2)), whole(sizes=(1, 8), gradient_checkpointing=True)).paragraph()
    assert "8 clips of 10 s with gradient checkpointing" in said


def test_what_could_not_be_measured_is_said_without_a_number() -> None:
    nothing = SearchOutcome(measurement=measurement(sizes=()), problem="batch 1: SIGABRT")
    assert "could not be measured" in tuned(nothing, problem="batch 1: SIGABRT").paragraph()
    too_large = SearchOutcome(measurement=measurement(sizes=()), ended="batch 1 does not fit")
    assert "even one clip of this length within 60000 MiB" in tuned(too_large).paragraph()
    assert "could not be measured" in tuned(problem="nobody says how much memory there is").paragraph()


def test_json_has_the_same() -> None:
    said = tuned(whole()).to_json()
    assert said["line"] == "`batch_size=384` `accumulation=1`"
    assert said["limit_mib"] == 60000
    assert said["measurements"][0]["largest_batch"] == 384
    assert (said["kept"], said["problem"]) == (None, None)


def test_progress_names_size_memory_and_time() -> None:
    line = progress_line(TriedBatch(batch_size=8, peak_mib=1500, step_seconds=0.25, seconds=1), 2000)
    assert line == "batch 8: 1500 MiB, 75% of the limit, 0.25 s per step, 32 clips/s"
