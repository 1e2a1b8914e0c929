"""The thread that looks: pretended gauges, no waiting for a clock."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from voxmatrix.machine.sensors.reading import STALE_SECONDS, BackgroundSensor, Reading, Sensor

LONG = 30.0


def after(looks: int, look: Sensor) -> tuple[Sensor, threading.Event]:
    """The gauge, that answers so often, and an event that is set when all its answers were stored."""
    seen, done = 0, threading.Event()

    def counting() -> Reading:
        nonlocal seen
        seen += 1
        if seen > looks:
            done.set()
            raise OSError("the device fell asleep")
        return look()

    return counting, done


def numbered(seconds: float = 0.0) -> Callable[[], Reading]:
    numbers = iter(range(10**9))
    return lambda: Reading(device="cpu", seconds=seconds, used_mib=next(numbers))


def test_readings_come_once_each_and_in_their_order() -> None:
    gauge, done = after(5, numbered())
    sampling = BackgroundSensor(nullcontext(gauge), every_seconds=0.0, clock=lambda: 0.0)
    assert done.wait(LONG)
    sampling.close(LONG)
    first, again = [reading.used_mib for reading in sampling.new()], sampling.new()
    assert first == [0, 1, 2, 3, 4]
    assert again == []
    assert sampling.latest() is not None and sampling.latest().used_mib == first[-1]  # type: ignore[union-attr]


def test_an_old_reading_is_no_reading_of_now() -> None:
    gauge, done = after(1, numbered(seconds=100.0))
    now = 100.0 + STALE_SECONDS
    sampling = BackgroundSensor(nullcontext(gauge), every_seconds=0.0, clock=lambda: now)
    assert done.wait(LONG)
    sampling.close(LONG)
    assert sampling.latest() is not None
    now += 0.1
    assert sampling.latest() is None


def test_a_driver_that_hangs_costs_its_figures_alone() -> None:
    hangs, let_go = threading.Event(), threading.Event()

    def hanging() -> Reading:
        hangs.set()
        let_go.wait(LONG)
        return Reading(device="cuda:0", seconds=0.0)

    sampling = BackgroundSensor(nullcontext(hanging))
    assert hangs.wait(LONG)
    assert sampling.new() == [] and sampling.latest() is None
    sampling.close(timeout_seconds=0.0)  # does not wait for it
    let_go.set()


def test_a_look_that_fails_is_left_out_and_the_next_one_counts() -> None:
    numbers = iter(range(10**9))

    def now_and_then() -> Reading:
        number = next(numbers)
        if number % 2:
            raise OSError("GPU is lost")
        return Reading(device="cuda:0", seconds=0.0, used_mib=number)

    gauge, done = after(4, now_and_then)
    sampling = BackgroundSensor(nullcontext(gauge), every_seconds=0.0)
    assert done.wait(LONG)
    sampling.close(LONG)
    assert [reading.used_mib for reading in sampling.new()] == [0, 2]


def test_a_gauge_that_cannot_be_opened_gives_no_readings() -> None:
    opened = threading.Event()

    @contextmanager
    def broken() -> Iterator[Sensor]:
        opened.set()
        raise RuntimeError("no driver")
        yield

    sampling = BackgroundSensor(broken())
    assert opened.wait(LONG)
    sampling.close(LONG)
    assert sampling.new() == [] and sampling.latest() is None


def test_closing_closes_the_gauge_too() -> None:
    closed = threading.Event()

    @contextmanager
    def gauge() -> Iterator[Sensor]:
        try:
            yield numbered()
        finally:
            closed.set()

    BackgroundSensor(gauge(), every_seconds=LONG).close(LONG)
    assert closed.is_set()
