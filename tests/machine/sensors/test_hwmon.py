"""Temperatures and power in pretended folders of the kernel."""

from pathlib import Path

import pytest

from tests.machine.pretended import pretend
from voxmatrix.machine.sensors.hwmon import Heat, processor_heat, read_heat, read_watts

HWMON, THERMAL = "sys/class/hwmon/", "sys/class/thermal/"


def test_the_hottest_processor_counts_and_no_other_chip(tmp_path: Path) -> None:
    files = {
        HWMON + "hwmon0/name": "nvme\n",
        HWMON + "hwmon0/temp1_input": "99000\n",
        HWMON + "hwmon1/name": "coretemp\n",
        HWMON + "hwmon1/temp1_input": "61000\n",
        HWMON + "hwmon1/temp1_crit": "100000\n",
        HWMON + "hwmon2/name": "coretemp\n",
        HWMON + "hwmon2/temp1_input": "72500\n",
        HWMON + "hwmon2/temp1_crit": "105000\n",
        THERMAL + "thermal_zone0/type": "x86_pkg_temp\n",
        THERMAL + "thermal_zone0/temp": "80000\n",
    }
    assert processor_heat(pretend(tmp_path, files)) == Heat(72.5, 105.0)


@pytest.mark.parametrize("kind", ["x86_pkg_temp", "cpu-thermal", "CPU-therm", "soc_thermal", "cpu0-thermal"])
def test_boards_have_zones(tmp_path: Path, kind: str) -> None:
    files = {
        THERMAL + "thermal_zone0/type": "acpitz\n",
        THERMAL + "thermal_zone0/temp": "27800\n",
        THERMAL + "thermal_zone1/type": kind + "\n",
        THERMAL + "thermal_zone1/temp": "48312\n",
    }
    assert processor_heat(pretend(tmp_path, files)) == Heat(48.312, None)


def test_without_a_sensor_heat_is_unknown(tmp_path: Path) -> None:
    assert processor_heat(tmp_path) == Heat(None, None)
    zone = {THERMAL + "thermal_zone0/type": "acpitz", THERMAL + "thermal_zone0/temp": "27800"}
    assert processor_heat(pretend(tmp_path, zone)) == Heat(None, None)


@pytest.mark.parametrize("text", ["", "0", "-273000", "65261850", "hot", "1e5", "9" * 400, "٣٠٠٠٠"])
def test_what_cannot_be_a_temperature_is_unknown(tmp_path: Path, text: str) -> None:
    folder = pretend(tmp_path, {"temp1_input": text, "temp1_crit": text})
    assert read_heat(folder) == Heat(None, None)


@pytest.mark.parametrize(
    ("files", "watts"),
    [
        ({"power1_average": "212000000\n", "power1_input": "1"}, 212.0),
        ({"power1_input": "35500000"}, 35.5),
        ({"power1_average": "-1"}, None),
        ({}, None),
    ],
)
def test_power_is_an_average_else_of_this_moment(tmp_path: Path, files: dict[str, str], watts: float | None) -> None:
    assert read_watts(pretend(tmp_path, files)) == watts
