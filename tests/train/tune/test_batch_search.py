"""The search for the largest batch, on memory curves of every shape, without a device."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.train.tune.batch_search import TOLERANCE, BatchSearch, SearchBounds, TriedBatch

Curve = Callable[[int], float]
#: Doubling to 512 and halving the distance from 512 to 256 until a twentieth is left.
MAX_TRIES = 10 + 5


def searched(
    curve: Curve, bounds: SearchBounds, breaks_at: int = 10**6, seconds: Curve = lambda size: 0.001
) -> tuple[BatchSearch, list[int]]:
    """Run a search on a device that takes `curve` MiB and has no memory from `breaks_at` clips on."""
    asked: list[int] = []

    def measure(size: int) -> TriedBatch | None:
        asked.append(size)
        if size >= breaks_at:
            return None
        return TriedBatch(batch_size=size, peak_mib=curve(size), step_seconds=seconds(size), seconds=seconds(size))

    search = BatchSearch(measure=measure, bounds=bounds)
    search.run()
    return search, asked


def found(search: BatchSearch) -> int:
    limit = search.bounds.limit_mib
    return max((each.batch_size for each in search.tried if each.peak_mib <= limit), default=0)


@st.composite
def monotone_curves(draw: st.DrawFn) -> list[float]:
    """Peaks of 0 to 512 clips: a base, then rises that may be nothing or a jump."""
    steps = draw(st.lists(st.tuples(st.integers(1, 200), st.floats(0, 500)), min_size=1, max_size=6))
    rises = [rise for length, rise in steps for _ in range(length)]
    peaks = [draw(st.floats(0, 5000))]
    for number in range(512):
        peaks.append(peaks[-1] + rises[number % len(rises)])
    return peaks


@given(monotone_curves(), st.floats(1, 100_000), st.integers(1, 600))
def test_on_any_monotone_curve_it_finds_the_largest_within_a_twentieth_in_few_tries(
    peaks: list[float], limit: float, breaks_at: int
) -> None:
    search, asked = searched(lambda size: peaks[size], SearchBounds(limit_mib=limit), breaks_at)
    largest = max((size for size in range(1, 513) if peaks[size] <= limit and size < breaks_at), default=0)
    assert found(search) <= largest
    assert largest - found(search) < max(1, TOLERANCE * found(search))
    assert len(asked) == len(set(asked)) <= MAX_TRIES
    assert search.ended == ""


@given(monotone_curves(), st.floats(1, 100_000), st.integers(1, 512))
def test_a_search_whose_process_dies_goes_on_where_it_was(peaks: list[float], limit: float, dies_at: int) -> None:
    asked: list[int] = []

    def measure(size: int) -> TriedBatch | None:
        asked.append(size)
        if size >= dies_at:
            raise ChildProcessError
        return TriedBatch(batch_size=size, peak_mib=peaks[size], step_seconds=1, seconds=0.001)

    search, alive = BatchSearch(measure=measure, bounds=SearchBounds(limit_mib=limit)), False
    while not alive:
        try:
            search.run()
            alive = True
        except ChildProcessError:
            search = BatchSearch(measure=measure, bounds=search.bounds, tried=search.tried, too_large=asked[-1])
    largest = max((size for size in range(1, dies_at) if peaks[size] <= limit), default=0)
    assert found(search) <= largest
    assert largest - found(search) < max(1, TOLERANCE * found(search))
    assert len(asked) == len(set(asked)) <= MAX_TRIES


@given(st.floats(0, 2000), st.floats(1, 300), st.floats(100, 100_000), st.floats(0, 600))
def test_who_is_careful_never_takes_more_than_the_limit_where_a_line_is_a_line(
    base: float, clip: float, limit: float, expected_clip: float
) -> None:
    bounds = SearchBounds(limit_mib=limit, never_exceed=True, clip_mib=expected_clip)
    search, asked = searched(lambda size: base + clip * size, bounds)
    # The first is measured whatever it takes, and nothing is known before it.
    beyond = [size for size in asked[1:] if base + clip * size > limit * 1.000001]
    assert not beyond or (expected_clip < clip and len(asked) <= 2)
    assert found(search) <= max(0, (limit - base) / clip * 1.000001)


def test_who_is_careful_ends_at_the_first_peak_above_the_limit() -> None:
    bounds = SearchBounds(limit_mib=1000, never_exceed=True, clip_mib=1)
    search, asked = searched(lambda size: 10 if size < 4 else 5000, bounds)
    assert asked == [1, 2, 4]
    assert found(search) == 2
    assert search.ended == "batch 4 exceeded the memory limit"


def test_more_than_512_are_never_tried() -> None:
    search, asked = searched(lambda size: 1.0, SearchBounds(limit_mib=10))
    assert asked == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert found(search) == 512


def test_what_was_found_is_said() -> None:
    assert BatchSearch(measure=lambda size: None, bounds=SearchBounds(limit_mib=10)).run() == "batch 1 does not fit"
    fits = BatchSearch(measure=lambda size: TriedBatch(batch_size=size, peak_mib=1, step_seconds=1, seconds=0),
                  bounds=SearchBounds(limit_mib=10, max_batch=3))  # fmt: skip
    assert fits.run() == "batch 3 is the largest size tried"


@pytest.mark.parametrize(
    ("seconds", "asked", "why"),
    [
        (lambda size: 50.0 * size, [1, 2], "batch 4 would take more than 120 s"),
        (lambda size: 100.0, [1], "batch 2 would take more than 120 s"),
        (lambda size: 59.0, [1, 2], "time limit of 200 s"),
    ],
)
def test_there_is_an_end_to_it_in_time(seconds: Curve, asked: list[int], why: str) -> None:
    search, sizes = searched(lambda size: 1.0, SearchBounds(limit_mib=10, limit_seconds=200), seconds=seconds)
    assert sizes == asked
    assert why in search.ended


def test_a_cpu_that_is_busy_is_left_alone() -> None:
    bounds = SearchBounds(limit_mib=10**6, stop_when_saturated=True)
    search, asked = searched(lambda size: 1.0, bounds, seconds=lambda size: 0.001 * max(4, size))
    assert asked == [1, 2, 4, 8, 16, 32]
    assert "is no faster" in search.ended
