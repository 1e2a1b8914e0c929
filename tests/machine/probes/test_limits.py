"""What a process may use, read from pretended machines."""

import os
import sys
from pathlib import Path

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.machine.pretended import pretend, pretend_memory
from voxmatrix.machine.probes.limits import cpus, parse_cpu_max, read_limits, read_memory, shm_free_bytes


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


MIB = 1024 * 1024
V2, V1 = "sys/fs/cgroup/", "sys/fs/cgroup/memory/"


@pytest.fixture(autouse=True)
def memory_of_the_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend_memory(monkeypatch, total_mib=65536, available_mib=49152)


def read(root: Path, files: dict[str, str]) -> tuple[int | None, int | None]:
    memory = read_memory(pretend(root, files))
    return memory.total_mib, memory.available_mib


def test_without_a_limit_it_is_the_computers(tmp_path: Path) -> None:
    assert read(tmp_path, {V2 + "memory.max": "max\n"}) == (65536, 49152)


def test_a_container_with_cgroup_v2_has_its_limit_and_old_cache_counts_as_free(tmp_path: Path) -> None:
    files = {
        V2 + "memory.max": f"{8192 * MIB}\n",
        V2 + "memory.current": f"{3000 * MIB}\n",
        V2 + "memory.stat": f"anon 5\ninactive_file {1000 * MIB}\n",
    }
    assert read(tmp_path, files) == (8192, 6192)


def test_the_tightest_of_nested_groups_holds(tmp_path: Path) -> None:
    files = {
        "proc/self/cgroup": "0::/user.slice/job\n",
        V2 + "user.slice/memory.max": f"{4096 * MIB}",
        V2 + "user.slice/memory.current": f"{96 * MIB}",
        V2 + "user.slice/job/memory.max": f"{16384 * MIB}",
        V2 + "user.slice/job/memory.current": f"{6 * MIB}",
    }
    assert read(tmp_path, files) == (4096, 4000)


def test_cgroup_v1_has_a_limit_too_and_its_endless_number_is_none(tmp_path: Path) -> None:
    group = {"proc/self/cgroup": "9:name=systemd:/\n4:memory:/docker/abc\n0::/\n"}
    assert read(tmp_path, group | {V1 + "memory.limit_in_bytes": "9223372036854771712\n"}) == (65536, 49152)
    files = {V1 + "docker/abc/memory.limit_in_bytes": f"{2048 * MIB}\n", V1 + "docker/abc/memory.usage_in_bytes": "0\n"}
    assert read(tmp_path, files) == (2048, 2048)


def test_a_group_outside_the_namespace_leaves_the_limit_of_the_mount(tmp_path: Path) -> None:
    files = {"proc/self/cgroup": "0::/../../other\n", V2 + "memory.max": f"{1024 * MIB}"}
    assert read(tmp_path, files)[0] == 1024


@pytest.mark.parametrize("missing", ["the module", "the fact"])
def test_where_psutil_says_nothing_the_limit_is_all_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def denied() -> None:
        raise psutil.AccessDenied

    if missing == "the module":
        monkeypatch.setitem(sys.modules, "psutil", None)
    else:
        monkeypatch.setattr(psutil, "virtual_memory", denied)
    assert read(tmp_path, {}) == (None, None)
    assert read(tmp_path, {V2 + "memory.max": f"{1024 * MIB}", V2 + "memory.current": "0"}) == (1024, 1024)


def test_this_computer_has_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    memory = read_memory()
    assert memory.total is not None and memory.available is not None
    assert 0 < memory.available <= memory.total
