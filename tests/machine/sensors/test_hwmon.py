"""Temperatures and power: of processors as psutil lists them, of cards in pretended folders of the kernel."""

import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from tests.machine.pretended import pretend
from voxmatrix.machine.sensors.hwmon import Heat, processor_heat, read_heat, read_watts


def heat(monkeypatch: pytest.MonkeyPatch, **chips: list[tuple[float, float | None]]) -> Heat:
    sensors = {
        name: [SimpleNamespace(label="", current=current, high=None, critical=critical) for current, critical in pairs]
        for name, pairs in chips.items()
    }
    monkeypatch.setattr(psutil, "sensors_temperatures", lambda: sensors, raising=False)
    return processor_heat()


def test_the_hottest_processor_counts_and_no_other_chip(monkeypatch: pytest.MonkeyPatch) -> None:
    found = heat(monkeypatch, nvme=[(99.0, 84.8)], coretemp=[(61.0, 100.0), (72.5, 105.0)], acpitz=[(80.0, None)])
    assert found == Heat(72.5, 105.0)


@pytest.mark.parametrize(
    "kind", ["k10temp", "x86_pkg_temp", "cpu_thermal", "cpu-thermal", "CPU-therm", "soc_thermal", "cpu0-thermal"]
)
def test_processors_are_known_by_the_names_of_their_sensors(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    assert heat(monkeypatch, acpitz=[(27.8, None)], **{kind: [(48.312, None)]}) == Heat(48.312, None)


def test_without_a_sensor_heat_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert heat(monkeypatch) == heat(monkeypatch, acpitz=[(27.8, None)]) == Heat()
    assert heat(monkeypatch, coretemp=[(-273.0, 100.0), (65261.85, None)]) == Heat()


@pytest.mark.parametrize("missing", ["the module", "the function"])
def test_where_psutil_cannot_say_heat_is_unknown(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    if missing == "the module":
        monkeypatch.setitem(sys.modules, "psutil", None)
    else:  # Windows and macOS
        monkeypatch.delattr(psutil, "sensors_temperatures", raising=False)
    assert processor_heat() == Heat()


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
