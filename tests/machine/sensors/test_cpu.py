"""CPU and memory on pretended computers with a pretended clock."""

import sys
from pathlib import Path

import pytest

from tests.machine.pretended import pretend, pretend_memory
from voxmatrix.machine.sensors import cpu as module
from voxmatrix.machine.sensors.cpu import CpuSensor
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
