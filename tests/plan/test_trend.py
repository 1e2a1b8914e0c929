"""Growth among noise."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxmatrix.plan.trend import FEWEST, seconds_until


def line(count: int, slope: float, start: float = 0.0, step: float = 2.0) -> list[tuple[float, float]]:
    return [(step * place, start + slope * step * place) for place in range(count)]


def test_a_line_reaches_its_limit_when_it_does() -> None:
    assert seconds_until(line(60, slope=3.0), limit=1000.0) == pytest.approx(1000 / 3 - 118)
    assert seconds_until(line(60, slope=3.0), limit=10.0) == 0.0


@pytest.mark.parametrize("slope", [0.0, -1.0])
def test_what_does_not_grow_never_reaches_it(slope: float) -> None:
    assert seconds_until(line(60, slope=slope, start=500.0), limit=1000.0) is None


def test_a_few_points_are_no_trend() -> None:
    assert seconds_until(line(FEWEST - 1, slope=3.0), limit=1000.0) is None
    assert seconds_until(line(FEWEST, slope=3.0), limit=1000.0) is not None
    assert seconds_until([], limit=1000.0) is None


def test_points_of_one_moment_have_no_slope() -> None:
    assert seconds_until([(5.0, float(value)) for value in range(60)], limit=1000.0) is None


@pytest.mark.parametrize("at", range(60))
@pytest.mark.parametrize("second", [0, 7, 20])
def test_jumps_are_no_steady_growth(at: int, second: int) -> None:
    values = [500.0 + 200.0 * (place >= at) + 100.0 * (place >= at + second) for place in range(60)]
    assert seconds_until([(2.0 * place, value) for place, value in enumerate(values)], limit=1000.0) is None


def test_growth_that_came_to_an_end_is_over() -> None:
    points = [(2.0 * place, min(600.0, 500.0 + 3.0 * place)) for place in range(60)]
    assert seconds_until(points, limit=1000.0) is None


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(FEWEST, 60), st.floats(0.0, 1e4))
def test_noise_is_no_growth(seed: int, count: int, most: float) -> None:
    chance = random.Random(seed)
    assert seconds_until([(2.0 * place, 700 + chance.uniform(-most, most)) for place in range(count)], 1e5) is None


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_noise_hides_no_growth_that_is_ten_times_as_large(seed: int) -> None:
    chance = random.Random(seed)
    noisy = [(seconds, value + chance.uniform(-10, 10)) for seconds, value in line(60, slope=2.0, start=500.0)]
    assert seconds_until(noisy, limit=1000.0) == pytest.approx((1000 - 500 - 236) / 2, abs=15)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1e9), st.floats(-1e12, 1e12)), max_size=70), st.floats(0, 1e12))
def test_any_points_give_a_time_or_none(points: list[tuple[float, float]], limit: float) -> None:
    left = seconds_until(points, limit)
    assert left is None or left >= 0
