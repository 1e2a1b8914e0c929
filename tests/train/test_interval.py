"""When something is done again."""

import pytest

from voxmatrix.train import interval as interval_module
from voxmatrix.train.interval import Interval


class Clock:
    """Time for an interval."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


def test_by_default_what_takes_long_comes_less_often_and_a_set_interval_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(interval_module, "time", clock)
    automatic, requested = Interval(None, 100), Interval(30, 100)
    taken: dict[str, list[int]] = {"automatic": [], "requested": []}
    for step in range(1, 1001):
        clock.now += 0.05
        for name, interval in (("automatic", automatic), ("requested", requested)):
            if interval.is_due(step):
                with interval.timed():
                    clock.now += 1.0
                taken[name].append(step)
    assert taken["requested"] == list(range(30, 1001, 30))
    assert taken["automatic"][0] == 100
    assert 2 <= len(taken["automatic"]) <= 5
    assert all(step % 100 == 0 for step in taken["automatic"])
