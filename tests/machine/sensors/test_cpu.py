"""CPU and memory on pretended computers with a pretended clock."""

import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.machine.pretended import pretend, pretend_memory
from voxmatrix.machine.sensors import cpu as module
from voxmatrix.machine.sensors.cpu import CpuSensor, resident_mib
from voxmatrix.machine.sensors.hwmon import Heat

MIB = 1024 * 1024


class Time:
    wall = 100.0
    busy = 7.0


@pytest.fixture
def gauge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CpuSensor:
    pretend_memory(monkeypatch, total_mib=24000, available_mib=20000)
    monkeypatch.setattr(module, "cpus", lambda root: 4)
    monkeypatch.setattr(module, "resident_mib", lambda: 1400)
    monkeypatch.setattr(module, "processor_heat", lambda: Heat(66.125))
    monkeypatch.setattr(Time, "wall", 100.0)
    monkeypatch.setattr(Time, "busy", 7.0)
    return CpuSensor(tmp_path, clock=lambda: Time.wall, busy_seconds=lambda: Time.busy)


def test_a_look_tells_ours_all_what_is_needed_and_what_others_hold(gauge: CpuSensor) -> None:
    reading = gauge()
    assert (reading.device, reading.seconds) == ("cpu", 100.0)
    assert (reading.used_mib, reading.total_mib) == (1400, 24000)
    assert (reading.needed_mib, reading.others_mib) == (4000, 2600)
    assert (reading.temperature_c, reading.throttle_c, reading.power_w) == (66.125, None, None)


def test_utilisation_is_of_the_cpus_that_may_be_used_since_the_last_look(gauge: CpuSensor) -> None:
    assert gauge().utilisation is None
    Time.wall, Time.busy = 102.0, 13.0
    assert gauge().utilisation == 0.75
    Time.wall, Time.busy = 104.0, 14.0
    assert gauge().utilisation == 0.125


def test_a_look_right_after_another_repeats_what_was_measured(gauge: CpuSensor) -> None:
    Time.wall, Time.busy = 102.0, 13.0
    gauge()
    Time.wall, Time.busy = 102.1, 13.4
    assert gauge().utilisation == 0.75
    Time.wall, Time.busy = 104.0, 21.0
    assert gauge().utilisation == 1.0


@pytest.mark.parametrize(("busy", "utilisation"), [(1.0, 0.0), (900.0, 1.0)])
def test_clocks_that_disagree_give_no_more_than_all_and_no_less_than_nothing(
    gauge: CpuSensor, busy: float, utilisation: float
) -> None:
    Time.wall, Time.busy = 102.0, busy
    assert gauge().utilisation == utilisation


def test_a_containers_limit_is_all_there_is(gauge: CpuSensor, tmp_path: Path) -> None:
    pretend(
        tmp_path,
        {
            "sys/fs/cgroup/memory.max": f"{2048 * MIB}\n",
            "sys/fs/cgroup/memory.current": f"{1900 * MIB}\n",
            "sys/fs/cgroup/memory.stat": f"inactive_file {100 * MIB}\n",
        },
    )
    reading = gauge()
    assert (reading.used_mib, reading.total_mib, reading.needed_mib) == (1400, 2048, 1800)


def test_where_nothing_can_be_read_everything_is_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", None)
    reading = CpuSensor(tmp_path)()
    assert (reading.used_mib, reading.total_mib, reading.needed_mib, reading.others_mib) == (None,) * 4
    assert reading.temperature_c is None


def test_this_computer_can_be_looked_at() -> None:
    reading = CpuSensor()()
    assert reading.total_mib is None or reading.total_mib > 0


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
