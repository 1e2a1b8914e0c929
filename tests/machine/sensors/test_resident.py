"""Memory of a process and its children, as psutil tells it."""

import sys
from types import SimpleNamespace

import psutil
import pytest

from voxmatrix.machine.sensors.resident import resident_mib

MIB = 1024 * 1024


class Child:
    def __init__(self, rss_mib: int, **more_mib: int) -> None:
        self.memory = SimpleNamespace(rss=rss_mib * MIB, **{name: size * MIB for name, size in more_mib.items()})

    def memory_full_info(self) -> SimpleNamespace:
        return self.memory


class Ended(Child):
    def memory_full_info(self) -> SimpleNamespace:
        raise psutil.NoSuchProcess(99)


def held(monkeypatch: pytest.MonkeyPatch, *children: Child) -> int | None:
    process = SimpleNamespace(memory_info=lambda: Child(1000).memory, children=lambda recursive: list(children))
    monkeypatch.setattr(psutil, "Process", lambda: process)
    return resident_mib()


def test_a_process_alone_holds_what_is_resident(monkeypatch: pytest.MonkeyPatch) -> None:
    assert held(monkeypatch) == 1000


def test_children_count_with_what_they_do_not_share(monkeypatch: pytest.MonkeyPatch) -> None:
    no_uss = Child(20)  # a kernel that does not know what is shared
    assert held(monkeypatch, Child(900, uss=11), no_uss, Child(900, uss=2)) == 1000 + 11 + 20 + 2


def test_a_child_that_has_ended_since_is_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert held(monkeypatch, Ended(5), Child(900, uss=11)) == 1011


def test_without_psutil_it_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert resident_mib() is None


def test_this_process_holds_some_memory() -> None:
    assert (resident_mib() or 0) > 5
