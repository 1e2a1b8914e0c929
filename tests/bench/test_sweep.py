"""The batch size that suits a device: doubled until memory is out, it hardly gains, or it must not be tried."""

from collections.abc import Callable

import pytest

from voxmatrix.bench.row import BenchRow
from voxmatrix.bench.sweep import SIZES, sweep


def device(speeds: dict[int, float], otherwise: str = "memory") -> Callable[[int], BenchRow]:
    """Clips a second by batch size; where there is none, memory is out or something else goes wrong."""

    def measure(size: int) -> BenchRow:
        if size in speeds:
            figures, problem = {"clips_per_second": speeds[size]}, ""
        else:
            figures, problem = {}, "it hung" if otherwise == "hang" else "CUDA out of memory"
        return BenchRow(
            device="cuda:0", name="a card", format="bf16", given={"batch_size": size}, figures=figures,
            problem=problem, out_of_memory=otherwise == "memory" and bool(problem),
        )  # fmt: skip

    return measure


def anything(size: int) -> str:
    return ""


@pytest.mark.parametrize(
    ("speeds", "tried", "line", "reason"),
    [
        ({1: 1, 2: 2, 4: 4, 8: 8, 16: 8.3}, 5, "--batch-size 8 --accumulation 4", "batch 16 is 1.04 × as fast"),
        ({1: 1, 2: 2, 4: 4, 8: 8, 16: 4}, 5, "--batch-size 8 --accumulation 4", "batch 16 is 0.50 × as fast"),
        ({1: 1, 2: 2}, 3, "--batch-size 2 --accumulation 16", "batch 4 does not fit"),
        ({size: size for size in SIZES}, 6, "--batch-size 32 --accumulation 1", "32 is the largest that was tried"),
        ({1: 1, 2: 1}, 2, "--batch-size 1 --accumulation 32", "batch 2 is 1.00 × as fast"),
    ],
)
def test_it_stops_where_more_is_not_worth_it(speeds: dict[int, float], tried: int, line: str, reason: str) -> None:
    rows, suggestion = sweep(device(speeds), anything)
    assert [row.given["batch_size"] for row in rows] == list(SIZES[:tried])
    assert suggestion is not None
    assert suggestion.line == f"--device cuda:0 {line}"
    assert suggestion.reason.startswith(reason)


def test_where_nothing_fits_there_is_nothing_to_suggest() -> None:
    rows, suggestion = sweep(device({}), anything)
    assert (len(rows), suggestion) == (1, None)


def test_another_failure_is_named_as_it_was() -> None:
    _, suggestion = sweep(device({1: 1}, otherwise="hang"), anything)
    assert suggestion is not None
    assert suggestion.reason == "batch 2 failed: it hung"


def test_what_must_not_be_tried_is_not_but_for_the_smallest() -> None:
    rows, suggestion = sweep(device({1: 1}), lambda size: f"batch {size} would take too much")
    assert len(rows) == 1
    assert suggestion is not None
    assert (suggestion.batch_size, suggestion.reason) == (1, "batch 2 would take too much")
