"""When a person is warned of memory and heat, and when not."""

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.errors import Finding
from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.plan.pressure import FULL, PressureMonitor, memory_remedy

TOTAL = 12288


def reading(number: int, share: float, device: str = "cuda:0", **more: object) -> Reading:
    needed = round(share * TOTAL)
    return Reading(device=device, seconds=2.0 * number, needed_mib=needed, total_mib=TOTAL, **more)  # type: ignore[arg-type]


def told(shares: Iterable[float], pressure: PressureMonitor | None = None) -> list[tuple[int, str]]:
    """The number of the reading, and what was told after it."""
    pressure = pressure or PressureMonitor("type something")
    return [
        (number, finding.problem)
        for number, share in enumerate(shares)
        for finding in pressure.assess([reading(number, share)])
    ]


def hot(*degrees: float | None, limit: float | None = 90.0) -> list[Finding]:
    pressure = PressureMonitor("")
    looks = [Reading(device="cuda:0", seconds=0.0, temperature_c=each, throttle_c=limit) for each in degrees]
    return [finding for look in looks for finding in pressure.assess([look])]


def test_memory_that_is_nearly_full_is_told_with_what_others_hold_and_what_to_type() -> None:
    (finding,) = PressureMonitor("type --batch-size 4").assess([reading(0, 0.95, others_mib=3174)])
    assert finding.problem == (
        "the memory of cuda:0 is nearly full: 11.4 of 12.0 GiB are in use, 3.1 of them by other programs"
    )
    assert (finding.remedy, finding.severity) == ("type --batch-size 4", "warning")


def test_on_the_cpu_it_is_the_computers_memory() -> None:
    (finding,) = PressureMonitor("").assess([reading(0, 0.93, device="cpu")])
    assert finding.problem.startswith("the memory of this computer is nearly full: 11.2 of 12.0 GiB are in use")


def test_the_same_is_told_once_until_it_got_better_and_worse_again() -> None:
    shares = [0.5, 0.93, 0.99, 0.91, 0.93, 0.86, 0.95, 0.8, 0.9, 0.94]
    assert [number for number, _ in told(shares)] == [1, 9]


def test_readings_that_come_together_are_all_judged() -> None:
    pressure = PressureMonitor("")
    assert len(pressure.assess([reading(0, 0.5), reading(1, 0.95), reading(2, 0.6)])) == 1
    assert pressure.assess([]) == []


@pytest.mark.parametrize(
    "unknown",
    [
        Reading(device="cpu", seconds=0.0),
        Reading(device="cpu", seconds=0.0, needed_mib=100),
        Reading(device="cpu", seconds=0.0, needed_mib=100, total_mib=0),
        Reading(device="cpu", seconds=0.0, total_mib=100),
    ],
)
def test_what_is_unknown_is_no_trouble(unknown: Reading) -> None:
    assert PressureMonitor("").assess([unknown] * 100) == []


def test_a_full_cache_of_an_allocator_is_no_need() -> None:
    full = Reading(device="cuda:0", seconds=0.0, used_mib=TOTAL - 10, total_mib=TOTAL, needed_mib=TOTAL // 2)
    assert PressureMonitor("").assess([full]) == []


def test_heat_is_told_where_the_device_slows_itself_down() -> None:
    (finding,) = hot(89, 90, 93)
    assert finding.problem == "cuda:0 is at 90 °C and throttles from 90 °C"
    assert "nvidia-smi -pl" in finding.remedy
    assert len(hot(91, 86, 91, 84, 91)) == 2
    assert hot(60, None, 89.9) == []
    assert hot(99, limit=None) == []


def test_a_hot_cpu_is_not_cooled_with_nvidia_smi() -> None:
    (finding,) = PressureMonitor("").assess([Reading(device="cpu", seconds=0.0, temperature_c=100, throttle_c=100)])
    assert "nvidia" not in finding.remedy


def test_the_remedy_says_what_happens_and_what_can_be_typed() -> None:
    words = memory_remedy("my-voice")
    assert "`from=my-voice/last.ckpt` `max_batch_seconds=60`" in words
    assert "other programs" in words and "smaller parts" in words


@given(st.floats(0.0, 0.84), st.floats(0.0, 0.05), st.integers(0, 2**32))
def test_constant_use_is_never_warned_of_however_it_trembles(share: float, noise: float, seed: int) -> None:
    chance = random.Random(seed)
    most = min(noise, FULL - 0.01 - share)
    assert told(share + chance.uniform(-most, most) for _ in range(200)) == []


@settings(max_examples=examples(40))
@given(st.floats(0.4, 0.9), st.floats(5e-4, 0.079), st.integers(1, 20))
def test_growth_is_always_warned_of_once_before_all_memory_is_gone(start: float, rise: float, together: int) -> None:
    """By half a per mille to 8 % of all memory each two seconds; reports may take several readings at once."""
    pressure = PressureMonitor("")
    readings = []
    share = start
    while share < 1.0:
        readings.append(reading(len(readings), share))
        share += rise
    found = [
        finding
        for place in range(0, len(readings), together)
        for finding in pressure.assess(readings[place : place + together])
    ]
    assert len(found) == 1


@given(st.lists(st.tuples(st.none() | st.integers(0, 10**9), st.none() | st.integers(0, 10**9)), max_size=80))
def test_any_readings_are_judged(figures: list[tuple[int | None, int | None]]) -> None:
    pressure = PressureMonitor("")
    for number, (needed, total) in enumerate(figures):
        found = pressure.assess([Reading(device="cpu", seconds=number, needed_mib=needed, total_mib=total)])
        assert all(finding.problem and finding.severity == "warning" for finding in found)
