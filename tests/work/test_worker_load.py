"""Water filling: when workers end together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.work.worker_load import FinishEstimate

workers = st.lists(st.tuples(st.floats(0, 100), st.floats(0.1, 100)), min_size=1, max_size=10)


def poured(busy: list[tuple[float, float]], level: float) -> float:
    return sum(speed * max(0.0, level - free) for free, speed in busy)


@given(busy=workers, seconds=st.floats(0.01, 1e5))
def test_until_the_end_exactly_the_work_is_done(busy: list[tuple[float, float]], seconds: float) -> None:
    assert poured(busy, FinishEstimate(busy, seconds).ends_in()) == pytest.approx(seconds, rel=1e-6, abs=1e-6)


@given(busy=workers, seconds=st.floats(0.01, 1e5), which=st.integers(0, 9))
def test_without_one_it_is_as_if_that_one_were_not_there(
    busy: list[tuple[float, float]], seconds: float, which: int
) -> None:
    one = busy[which % len(busy)]
    others = list(busy)
    others.remove(one)

    ends = FinishEstimate(busy, seconds).ends_in(without=one)

    assert ends == (
        pytest.approx(FinishEstimate(others, seconds).ends_in(), rel=1e-6, abs=1e-6) if others else float("inf")
    )
