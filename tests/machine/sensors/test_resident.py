"""Memory of a process and its children in a pretended /proc."""

import sys
from pathlib import Path

import pytest

from tests.machine.pretended import pretend
from voxmatrix.machine.sensors.resident import resident_mib

SELF = {"proc/self/status": "Name:\tpython\nVmPeak:\t 9 kB\nVmRSS:\t 1024000 kB\n"}


def rollup(clean_kib: int, dirty_kib: int) -> str:
    head = "55d0-7fff ---p 0 00:00 0 [rollup]\nRss: 900000 kB\n"
    return f"{head}Private_Clean: {clean_kib} kB\nPrivate_Dirty: {dirty_kib} kB\n"


def test_a_process_alone_holds_what_is_resident(tmp_path: Path) -> None:
    assert resident_mib(pretend(tmp_path, SELF)) == 1000


def test_children_and_theirs_count_with_what_they_do_not_share(tmp_path: Path) -> None:
    files = SELF | {
        "proc/self/task/7/children": "11 12 ",
        "proc/self/task/8/children": "",
        "proc/11/smaps_rollup": rollup(1024, 10240),
        "proc/11/task/11/children": "13\n",
        "proc/12/status": "VmRSS: 20480 kB\n",  # an old kernel has no rollup
        "proc/13/smaps_rollup": rollup(0, 2048),
    }
    assert resident_mib(pretend(tmp_path, files)) == 1000 + 11 + 20 + 2


def test_a_child_that_has_ended_since_is_nothing(tmp_path: Path) -> None:
    assert resident_mib(pretend(tmp_path, SELF | {"proc/self/task/7/children": "99"})) == 1000


@pytest.mark.parametrize("status", ["", "VmRSS:\n", "VmRSS: many kB\n", "VmRSS"])
def test_without_proc_it_is_unknown(tmp_path: Path, status: str) -> None:
    assert resident_mib(pretend(tmp_path, {"proc/self/status": status})) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_this_process_holds_some_memory() -> None:
    assert (resident_mib() or 0) > 5
