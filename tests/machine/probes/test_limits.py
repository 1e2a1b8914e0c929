"""The limits of a process, read from pretended machines."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.machine.probes.limits import cpus, parse_cpu_max, read_limits, shm_free_bytes


def pretend(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture(autouse=True)
def eight_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: set(range(8)), raising=False)


def test_without_a_quota_all_cpus_of_the_affinity_count(tmp_path: Path) -> None:
    assert cpus(tmp_path) == 8


def test_a_container_with_cgroup_v2_gets_its_quota(tmp_path: Path) -> None:
    assert cpus(pretend(tmp_path, {"sys/fs/cgroup/cpu.max": "200000 100000\n"})) == 2


def test_max_means_no_quota(tmp_path: Path) -> None:
    assert cpus(pretend(tmp_path, {"sys/fs/cgroup/cpu.max": "max 100000\n"})) == 8


def test_the_tightest_quota_on_the_way_to_the_root_holds(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/user.slice/job\n",
        "sys/fs/cgroup/user.slice/cpu.max": "300000 100000",
        "sys/fs/cgroup/user.slice/job/cpu.max": "max 100000",
    }
    assert cpus(pretend(tmp_path, files)) == 3


def test_cgroup_v1_gives_its_quota_and_minus_one_means_none(tmp_path: Path) -> None:
    place = "sys/fs/cgroup/cpu/"
    files = {place + "cpu.cfs_quota_us": "400000\n", place + "cpu.cfs_period_us": "100000\n"}
    assert cpus(pretend(tmp_path, files)) == 4
    assert cpus(pretend(tmp_path, {place + "cpu.cfs_quota_us": "-1\n"})) == 8


def test_half_a_cpu_is_still_one(tmp_path: Path) -> None:
    assert cpus(pretend(tmp_path, {"sys/fs/cgroup/cpu.max": "30000 100000"})) == 1


@given(st.text())
def test_any_text_in_cpu_max_is_a_number_or_unknown(text: str) -> None:
    quota = parse_cpu_max(text)
    assert quota is None or quota >= 0


def test_a_machine_without_dev_shm_says_unknown(tmp_path: Path) -> None:
    assert shm_free_bytes(tmp_path) is None
    assert read_limits(tmp_path).shm_free_bytes is None


def test_free_shared_memory_is_read_where_there_is_some(tmp_path: Path) -> None:
    (tmp_path / "dev" / "shm").mkdir(parents=True)
    free = shm_free_bytes(tmp_path)
    assert free is None or free > 0


def test_cgroup_v1_of_this_process_holds_as_well_as_its_parents(tmp_path: Path) -> None:
    place = "sys/fs/cgroup/cpu/"
    files = {
        "proc/self/cgroup": "3:cpu,cpuacct:/job\n0::/\n",
        place + "job/cpu.cfs_quota_us": "300000\n",
        place + "job/cpu.cfs_period_us": "100000\n",
        place + "cpu.cfs_quota_us": "-1\n",
    }
    assert cpus(pretend(tmp_path, files)) == 3
