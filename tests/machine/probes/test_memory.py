"""Memory as the cgroup allows it, on pretended machines."""

import sys
from pathlib import Path

import psutil
import pytest

from tests.machine.pretended import pretend, pretend_memory
from voxmatrix.machine.probes.memory import read_memory

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
