"""How many work side by side, and why."""

from dataclasses import replace

import pytest

from tests.plan.computers import RTX_3060, gpu, machine
from voxmatrix.machine.facts import TorchBuild
from voxmatrix.plan.budget import Budget
from voxmatrix.plan.parallelism import (
    MAX_VOICES_ON_A_GPU,
    PREFETCH,
    choose_devices,
    choose_parallel_voices,
    choose_prepare_workers,
    choose_workers,
)
from voxmatrix.settings import Setting
from voxmatrix.tables.training import memory_table

MIB = 1024 * 1024
EACH_VOICE = memory_table().voice_mib


def workers(cpus: int, shm_mib: int | None, batch_bytes: int, device: str = "cuda") -> Setting[int]:
    return choose_workers(machine(cpus=cpus, shm_mib=shm_mib), batch_bytes, device, None)


def budget(mib: float | None) -> Budget:
    return Budget(mib=mib, why="of what is free")


def test_what_is_forced_stays_however_little_there_is() -> None:
    forced = Setting(value=40, reason="set by --workers", source="flag")
    small = machine(cpus=1, shm_mib=0)
    assert choose_devices(RTX_3060, small, forced) is forced
    assert choose_workers(small, 100 * MIB, "cuda", forced) is forced
    assert choose_prepare_workers(small, forced) is forced
    assert choose_parallel_voices(RTX_3060, small, budget(1), forced) is forced


def test_only_gpus_that_can_train_together_are_offered_together() -> None:
    same, older = replace(RTX_3060, index=1), gpu("GeForce GTX 1060", "6.1", 6144, index=1)
    assert "devices=2" in choose_devices(RTX_3060, machine(RTX_3060, same), None).reason
    assert "devices" not in choose_devices(RTX_3060, machine(RTX_3060, older), None).reason
    parts = [replace(RTX_3060, index=index, mig=True) for index in range(3)]
    assert "MIG" in choose_devices(parts[0], machine(*parts), None).reason


def test_training_on_the_cpu_loads_in_its_own_process() -> None:
    assert workers(16, 1000, MIB, "cpu").value == 0


def test_a_gpu_gets_workers_and_one_cpu_stays_for_the_main_process() -> None:
    assert workers(3, 1000, MIB).value == 2
    assert workers(64, 1000, MIB).value == 4


def test_one_cpu_means_no_worker_with_the_reason() -> None:
    choice = workers(1, 1000, MIB)
    assert choice.value == 0
    assert "1 CPU" in choice.reason


def test_workers_shrink_to_what_shared_memory_holds() -> None:
    each = 10 * (PREFETCH + 1)
    assert workers(16, 2 * each + 1, 10 * MIB).value == 2


def test_too_little_shared_memory_means_none_and_names_both_sizes_and_the_mend() -> None:
    choice = workers(16, 64, 40 * MIB)
    assert choice.value == 0
    assert "64 MiB free" in choice.reason
    assert "120 MiB" in choice.reason
    assert "--shm-size" in choice.reason


def test_a_system_without_dev_shm_is_not_limited_by_it() -> None:
    assert workers(5, None, 10**12).value == 4


@pytest.mark.parametrize(("cpus", "expected"), [(1, 1), (2, 2), (16, 16), (64, 16)])
def test_recordings_are_checked_by_one_process_for_each_cpu_up_to_16(cpus: int, expected: int) -> None:
    choice = choose_prepare_workers(machine(cpus=cpus), None)
    assert choice.value == expected
    assert f"{cpus} CPU" in choice.reason


def test_one_process_speaks_on_a_gpu_that_torch_is_built_for() -> None:
    choice = choose_parallel_voices(
        RTX_3060, machine(torch=TorchBuild(version="2.10.0", cuda="12.8")), budget(100 * EACH_VOICE), None
    )
    assert choice.value == 1 and "batches" in choice.reason


def test_as_many_voices_as_fit_into_another_gpu_up_to_a_limit() -> None:
    assert choose_parallel_voices(RTX_3060, machine(), budget(3.5 * EACH_VOICE), None).value == 3
    assert choose_parallel_voices(RTX_3060, machine(), budget(100 * EACH_VOICE), None).value == MAX_VOICES_ON_A_GPU


def test_a_cpu_is_shared_by_its_cores() -> None:
    assert choose_parallel_voices(None, machine(cpus=6), budget(100 * EACH_VOICE), None).value == 3


def test_a_voice_that_keeps_one_cpu_busy_has_a_process_on_each() -> None:
    choice = choose_parallel_voices(None, machine(cpus=6), budget(100 * EACH_VOICE), None, cpus_per_voice=1)
    assert choice.value == 6 and choice.reason.endswith("6 CPUs, 1 per voice")


def test_one_voice_always_speaks() -> None:
    assert choose_parallel_voices(RTX_3060, machine(), budget(1), None).value == 1
    assert choose_parallel_voices(RTX_3060, machine(), budget(None), None).value == 1
