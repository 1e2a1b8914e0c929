"""How many workers, and why."""

from voxmatrix.machine.probes.limits import Limits
from voxmatrix.plan.workers import PREFETCH, choose_workers

MIB = 1024 * 1024


def limits(cpus: int, shm_mib: float | None) -> Limits:
    return Limits(cpus=cpus, shm_free_bytes=None if shm_mib is None else int(shm_mib * MIB))


def test_a_forced_number_wins_and_says_so() -> None:
    choice = choose_workers(limits(1, 0), 100 * MIB, "cuda:0", forced=3)
    assert (choice.value, choice.source) == (3, "flag")


def test_training_on_the_cpu_loads_in_its_own_process() -> None:
    assert choose_workers(limits(16, 1000), MIB, "cpu").value == 0


def test_a_gpu_gets_workers_and_one_cpu_stays_for_the_main_process() -> None:
    assert choose_workers(limits(3, 1000), MIB, "cuda:0").value == 2
    assert choose_workers(limits(64, 1000), MIB, "cuda:0").value == 4


def test_one_cpu_means_no_worker_with_the_reason() -> None:
    choice = choose_workers(limits(1, 1000), MIB, "cuda:0")
    assert choice.value == 0
    assert "1 CPU" in choice.reason


def test_workers_shrink_to_what_shared_memory_holds() -> None:
    each = 10 * (PREFETCH + 1)
    assert choose_workers(limits(16, 2 * each + 1), 10 * MIB, "cuda:0").value == 2


def test_too_little_shared_memory_means_none_and_names_both_sizes_and_the_mend() -> None:
    choice = choose_workers(limits(16, 64), 40 * MIB, "cuda:0")
    assert choice.value == 0
    assert "64 MiB free" in choice.reason
    assert "120 MiB" in choice.reason
    assert "--shm-size" in choice.reason


def test_a_system_without_dev_shm_is_not_limited_by_it() -> None:
    assert choose_workers(limits(5, None), 10**12, "cuda:0").value == 4
