"""Lines through what was measured, and the plan that follows them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.measured import RTX_3060, computer, measurement
from tests.plan.computers import assess
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine, TorchBuild
from voxmatrix.machine.profile import BatchFigures, Measurement, Profile
from voxmatrix.machine.profile_store import LoadedProfiles
from voxmatrix.plan.budget import measured_lines
from voxmatrix.plan.plan import Overrides, Plan, make_plan
from voxmatrix.settings import Setting

HERE = computer()[1]


def profile(*measurements: Measurement) -> Profile:
    return Profile(device=RTX_3060, measurements=measurements)


def test_the_line_goes_through_points_that_lie_on_one() -> None:
    line = measured_lines(profile(measurement(1000, 100)), "medium", "fp32", HERE)[False]
    assert line.mib(32, 10.0) == pytest.approx(1000 + 32 * 100)
    assert line.date == "2026-11-21"


def test_longer_clips_take_more_in_proportion_and_shorter_ones_no_less() -> None:
    line = measured_lines(profile(measurement(1000, 100, seconds=10.0)), "medium", "fp32", HERE)[False]
    assert line.mib(8, 20.0) == pytest.approx(1000 + 8 * 200)
    assert line.mib(8, 2.0) == line.mib(8, 10.0)


@given(
    st.lists(st.tuples(st.integers(1, 512), st.floats(1, 100_000)), min_size=1, max_size=8, unique_by=lambda p: p[0])
)
def test_no_measured_point_lies_above_the_line(points: list[tuple[int, float]]) -> None:

    sizes = tuple(BatchFigures(batch_size=size, peak_mib=peak, step_seconds=1) for size, peak in sorted(points))
    measured = measurement()
    measured = Measurement(**{**vars(measured), "sizes": sizes, "largest_batch": 0})
    for line in measured_lines(profile(measured), "medium", "fp32", HERE).values():
        assert all(line.mib(size.batch_size, 10.0) >= size.peak_mib * 0.999999 for size in sizes)
        assert line.mib(2, 10.0) > line.mib(1, 10.0)


def test_a_single_size_grows_with_its_clips() -> None:
    line = measured_lines(profile(measurement(1000, 100, sizes=(1,))), "medium", "fp32", HERE)[False]
    assert [line.mib(size, 10.0) for size in (1, 2)] == [1100, 2200]


@pytest.mark.parametrize(
    "measured",
    [measurement(sizes=()), measurement(clip_mib=-5), measurement(quality="high"), measurement(precision="bf16")],
)
def test_what_says_nothing_of_this_training_is_not_used(measured: Measurement) -> None:
    assert measured_lines(profile(measured), "medium", "fp32", HERE) == {}


def test_of_several_torches_that_of_this_computer_counts_else_the_latest() -> None:
    known = profile(
        measurement(clip_mib=100, torch="2.12.1+cu126", date="2026-01-01"),
        measurement(clip_mib=200, torch="2.13.0+cu130", date="2026-02-01"),
    )

    def clip_mib(version: str | None) -> float:
        torch = None if version is None else TorchBuild(version=version, cuda="13.0", kernels=("sm_86",))
        machine = Machine(platform="linux", cpus=1, torch=torch)
        return measured_lines(known, "medium", "fp32", machine)[False].clip_mib

    assert clip_mib("2.12.0") == pytest.approx(100)
    assert clip_mib("2.13.1+cu130") == clip_mib("2.14.0") == clip_mib(None) == pytest.approx(200)


def planned(*measurements: Measurement, findings: tuple[Finding, ...] = (), **more: Any) -> Plan:
    def known(gpu: Gpu | None, machine: Machine) -> LoadedProfiles:
        assert gpu is not None
        return LoadedProfiles(profiles=(profile(*measurements),), findings=findings)

    return make_plan(HERE, "medium", Overrides(**more), assess=assess, profile=known)


def bf16(base_mib: float, clip_mib: float, **more: Any) -> Measurement:
    return measurement(base_mib, clip_mib, precision="bf16", **more)


@pytest.mark.parametrize(("clip_mib", "batch"), [(100, 32), (300, 32), (400, 16), (1200, 8), (2400, 4)])
def test_the_batch_follows_what_was_measured_and_fills_up_to_nine_tenths(clip_mib: float, batch: int) -> None:
    made = planned(bf16(1000, clip_mib))
    assert (made.batch_size.value, made.effective_batch.value) == (batch, 32)
    assert "measured by train --tune on 2026-11-21" in made.batch_size.reason
    assert "90% of 12288 MiB free" in made.batch_size.reason
    assert not made.gradient_checkpointing.value


def test_a_batch_never_grows_beyond_32_however_much_fits() -> None:
    made = planned(bf16(100, 1, sizes=(1, 256, 512)))
    assert (made.batch_size.value, made.accumulation.value) == (32, 1)


def test_where_too_few_fit_gradients_are_checkpointed_as_it_was_measured() -> None:
    made = planned(bf16(1000, 3000, sizes=(1, 2)), bf16(1000, 800, gradient_checkpointing=True))
    assert made.gradient_checkpointing.value
    assert "batch 4 needs about 13000 MiB without it (measured" in made.gradient_checkpointing.reason
    assert made.batch_size.value == 4
    assert "4200 MiB" in made.batch_size.reason


def test_a_forced_batch_that_does_not_fit_is_warned_of_by_what_was_measured() -> None:
    made = planned(
        bf16(1000, 800),
        batch_size=Setting(value=64, reason="--batch-size 64", source="flag"),
        gradient_checkpointing=Setting(value=False, reason="--gradient-checkpointing off", source="flag"),
    )
    assert made.batch_size.value == 64
    assert any("52200 MiB (measured by train --tune" in finding.problem for finding in made.findings)


def test_a_damaged_profile_is_one_of_the_findings() -> None:
    damaged = Finding(problem="a profile is ignored: …", remedy="measure anew", severity="warning")
    assert damaged in planned(findings=(damaged,)).findings


def test_speaking_asks_for_no_profile() -> None:
    def never(gpu: Gpu | None, machine: Machine) -> LoadedProfiles:
        raise AssertionError

    make_plan(HERE, "medium", Overrides(), task="speak", assess=assess, profile=never)


def test_several_devices_share_the_batch_that_was_measured_on_one() -> None:
    made = planned(bf16(1000, 400), devices=Setting(value=2, reason="--devices 2", source="flag"))
    assert made.batch_size.value == 32
