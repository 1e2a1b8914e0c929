"""Voices side by side."""

from tests.plan.computers import RTX_3060, machine
from voxmatrix.plan.budget import Budget
from voxmatrix.plan.voices import MOST_ON_A_GPU, choose_parallel_voices
from voxmatrix.settings import Setting
from voxmatrix.tables.memory import memory_table

EACH = memory_table().voice_mib


def budget(mib: float | None) -> Budget:
    return Budget(mib=mib, why="of what is free")


def test_as_many_as_fit_into_the_gpu_up_to_a_limit() -> None:
    assert choose_parallel_voices(RTX_3060, machine(), budget(3.5 * EACH), None).value == 3
    assert choose_parallel_voices(RTX_3060, machine(), budget(100 * EACH), None).value == MOST_ON_A_GPU


def test_a_cpu_is_shared_by_its_cores() -> None:
    assert choose_parallel_voices(None, machine(cpus=6), budget(100 * EACH), None).value == 3


def test_one_voice_always_speaks() -> None:
    assert choose_parallel_voices(RTX_3060, machine(), budget(1), None).value == 1
    assert choose_parallel_voices(RTX_3060, machine(), budget(None), None).value == 1


def test_forced_stays() -> None:
    forced = Setting(value=20, reason="--parallel-voices", source="flag")
    assert choose_parallel_voices(RTX_3060, machine(), budget(1), forced) is forced
