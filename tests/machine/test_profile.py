"""Kinds of devices and what was measured on them: names that are safe everywhere, and the later measurement stays."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.measured import RTX_3060, measurement
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.profile import (
    BatchFigures,
    Profile,
    ProfiledCpu,
    ProfiledGpu,
    fitting,
    merge,
    profiled,
    torch_series,
)

HERE = Machine(platform="linux", cpus=4, cpu="AMD EPYC 7763", memory_mib=65536)


@given(st.none() | st.text(max_size=200), st.none() | st.integers(0, 2**40 - 1))
def test_whatever_a_device_is_called_its_profile_has_a_name_that_stays_in_its_folder(
    name: str | None, memory_mib: int | None
) -> None:
    for device in (ProfiledGpu(name=name, memory_mib=memory_mib), ProfiledCpu(name=name, cpus=1 + (memory_mib or 0))):
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", device.key), device.key
        assert len(device.key) < 150


@pytest.mark.parametrize("name", ["../../etc/passwd", "..", "/", "C:\\x", "a\x00b", "con", "näme", "显卡", "\u202egpu"])
def test_hostile_names_are_names_like_others(name: str) -> None:
    assert not set(ProfiledGpu(name=name, memory_mib=8192).key) & set("./\\:\0")


def test_other_alphabets_do_not_fall_together() -> None:
    assert ProfiledGpu(name="显卡一", memory_mib=8192).key != ProfiledGpu(name="显卡二", memory_mib=8192).key


def test_cards_of_one_kind_share_a_profile_and_slices_of_one_do_not() -> None:
    one = Gpu(index=0, kind="cuda", name="NVIDIA A100-SXM4-80GB", memory_mib=81920, uuid="GPU-1")
    other = replace(one, index=3, memory_mib=81559, uuid="GPU-2")
    assert profiled(one, HERE).key == profiled(other, HERE).key == "nvidia-a100-sxm4-80gb-80gib"
    assert profiled(replace(one, mig=True, memory_mib=9984), HERE).key == "nvidia-a100-sxm4-80gb-10gib"


def test_a_gpu_that_says_no_memory_has_that_of_its_computer_and_a_cpu_its_count() -> None:
    assert profiled(Gpu(index=0, kind="cuda", name="NVIDIA GB10"), HERE).key == "nvidia-gb10-64gib"
    assert profiled(Gpu(index=0, kind="cuda"), replace(HERE, memory_mib=None)).key == "gpu-unknown"
    assert profiled(None, HERE).key == "amd-epyc-7763-4cpus"
    assert profiled(None, replace(HERE, cpu=None)).key == "cpu-4cpus"


def test_of_the_same_thing_the_later_measurement_stays() -> None:
    old = measurement(date="2026-11-20")
    profile = Profile(device=RTX_3060, measurements=(old,))
    newer = measurement(date="2026-11-21", torch="2.13.1+cu130")
    older = measurement(date="2026-11-19")
    others = (measurement(precision="bf16"), measurement(gradient_checkpointing=True), measurement(torch="2.12.0"))

    merged = merge(profile, (newer, older, newer, *others))
    assert (merged.added, merged.replaced, merged.left) == (3, 1, 2)
    assert set(merged.profile.measurements) == {newer, *others}


def test_a_measurement_of_the_same_day_takes_the_place_of_the_first() -> None:
    first, second = measurement(seconds=5.0), measurement(seconds=9.0)
    assert merge(Profile(device=RTX_3060, measurements=(first,)), (second,)).profile.measurements == (second,)


def test_a_torch_is_known_by_its_first_two_numbers() -> None:
    assert [torch_series(text) for text in ("2.13.0+cpu", "2.13", "2.8.0a0+git", "3")] == ["2.13", "2.13", "2.8", "3"]


def test_what_fits_is_the_largest_within_the_limit() -> None:
    sizes = [BatchFigures(batch_size=size, peak_mib=1000.0 * size, step_seconds=1) for size in (1, 2, 4, 6)]
    assert fitting(sizes, 4000) == 4
    assert fitting(sizes, 999) == 0
    assert fitting([], 999) == 0


def test_speed_follows_from_the_time_of_a_step() -> None:
    assert BatchFigures(batch_size=8, peak_mib=1, step_seconds=0.5).clips_per_second == 16
