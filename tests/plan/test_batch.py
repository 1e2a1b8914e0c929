"""The batch that fits, and an effective 32."""

import pytest

from voxmatrix.plan.batch import Batching, choose_batching
from voxmatrix.plan.budget import Budget, Need
from voxmatrix.settings import Setting
from voxmatrix.tables.training import memory_table

TABLE = memory_table()
NEED = Need(row=TABLE.qualities["medium"], table=TABLE, seconds=10, half=True)


def batching(mib: float | None, **forced: Setting[int] | Setting[bool]) -> Batching:
    return choose_batching(Budget(mib=mib, why="of what is free"), NEED, **forced)  # type: ignore[arg-type]


def flag(value: int) -> Setting[int]:
    return Setting(value=value, reason="given by a flag", source="flag")


def room_for(batch: int, checkpointed: bool = False) -> float:
    return NEED.mib(batch, checkpointed) + 1


@pytest.mark.parametrize("size", [4, 8, 16, 32])
def test_the_largest_divisor_of_32_that_fits(size: int) -> None:
    plan = batching(room_for(size))
    assert (plan.batch_size.value, plan.accumulation.value, plan.effective_batch.value) == (size, 32 // size, 32)
    assert not plan.checkpointing.value


def test_more_than_32_is_never_taken() -> None:
    assert batching(10**6).batch_size.value == 32


def test_checkpointing_begins_where_the_smallest_batch_does_not_fit() -> None:
    plan = batching(room_for(4) - 2)
    assert plan.checkpointing.value
    assert plan.batch_size.value == 4
    assert plan.effective_batch.value == 32
    assert "batch 4 needs about" in plan.checkpointing.reason


def test_a_cpu_takes_single_clips_before_it_computes_twice() -> None:
    plan = choose_batching(Budget(mib=room_for(1), why="of what is free"), NEED, smallest=1)
    assert (plan.batch_size.value, plan.checkpointing.value) == (1, False)
    assert choose_batching(Budget(mib=room_for(1) - 2, why="x"), NEED, smallest=1).checkpointing.value


def test_where_nothing_fits_it_is_tried_with_one_clip_and_said() -> None:
    plan = batching(100)
    assert (plan.batch_size.value, plan.accumulation.value) == (1, 32)
    assert "memory may run out" in plan.findings[0].problem


def test_memory_that_cannot_suffice_even_for_one_clip_is_an_error() -> None:
    (finding,) = choose_batching(Budget(mib=350, why="x", limit_mib=700), NEED).findings
    assert finding.severity == "error"
    assert "only 700 MiB" in finding.problem
    assert "`quality`" in finding.remedy
    (finding,) = choose_batching(Budget(mib=350, why="x", limit_mib=int(NEED.least_mib) + 1), NEED).findings
    assert finding.severity == "warning"


def test_unknown_memory_means_a_small_batch_and_says_so() -> None:
    plan = batching(None)
    assert (plan.batch_size.value, plan.effective_batch.value, plan.checkpointing.value) == (4, 32, False)
    assert "--tune" in plan.batch_size.reason


def test_a_forced_batch_stays_and_accumulation_makes_up_for_it() -> None:
    plan = batching(room_for(32), batch_size=flag(2))
    assert (plan.batch_size, plan.accumulation.value) == (flag(2), 16)


def test_a_forced_batch_that_does_not_divide_32_says_what_comes_of_it() -> None:
    plan = batching(room_for(32), batch_size=flag(12))
    assert (plan.accumulation.value, plan.effective_batch.value) == (3, 36)
    assert "given by a flag" in plan.effective_batch.reason


def test_a_forced_batch_that_does_not_fit_is_checkpointed_and_warned_of() -> None:
    plan = batching(room_for(4), batch_size=flag(64))
    assert plan.batch_size == flag(64)
    assert plan.checkpointing.value
    assert plan.findings


@pytest.mark.parametrize(("steps", "size"), [(1, 32), (2, 16), (4, 8), (3, 8), (32, 1), (100, 1)])
def test_a_forced_accumulation_sets_the_batch(steps: int, size: int) -> None:
    plan = batching(10**6, accumulation=flag(steps))
    assert (plan.accumulation, plan.batch_size.value) == (flag(steps), size)


def test_both_forced_stay() -> None:
    plan = batching(10**6, batch_size=flag(5), accumulation=flag(7))
    assert plan.effective_batch.value == 35


def test_forced_checkpointing_stays_and_makes_room() -> None:
    on = Setting(value=True, reason="given by --gradient-checkpointing", source="flag")
    plan = batching(room_for(8), checkpointing=on)
    assert plan.checkpointing == on
    assert plan.batch_size.value >= 8
    off = Setting(value=False, reason="given by --gradient-checkpointing", source="flag")
    assert batching(room_for(2), checkpointing=off).batch_size.value == 2
