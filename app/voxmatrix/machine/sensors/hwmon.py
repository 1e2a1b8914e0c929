"""Temperatures and power from Linux hwmon sensors."""

import re
from pathlib import Path
from typing import Any, NamedTuple

from voxmatrix.files import read_text_or_empty
from voxmatrix.machine.probes.probe import ask_psutil

#: Processor sensors: Intel, AMD, boards.
_PROCESSOR = re.compile(r"coretemp|k10temp|zenpower|x86_pkg_temp|(cpu|soc)\d*[-_]therm.*", re.IGNORECASE)
#: Plausible chip temperatures; broken or sleeping sensors report 0, -273 or millions.
_POSSIBLE_C = (1.0, 150.0)


class Heat(NamedTuple):
    """In degrees Celsius; from `throttle_c` on the device throttles."""

    temperature_c: float | None = None
    throttle_c: float | None = None


def read_heat(sensor: Path) -> Heat:
    """The first temperature of an hwmon folder."""
    return Heat(_degrees(sensor / "temp1_input"), _degrees(sensor / "temp1_crit"))


def read_watts(sensor: Path) -> float | None:
    """The power draw of an hwmon folder."""
    for name in ("power1_average", "power1_input"):
        text = read_text_or_empty(sensor / name).strip()  # in microwatts
        if text.isdecimal():
            return int(text) / 1e6
    return None


def processor_heat() -> Heat:
    """The hottest processor; unknown if there is no sensor (as in most virtual machines)."""
    chips: dict[str, Any] = ask_psutil(lambda psutil: getattr(psutil, "sensors_temperatures", dict)()) or {}
    heats = [
        Heat(temperature, _possible(sensor.critical))
        for name, sensors in chips.items()
        for sensor in sensors
        if _PROCESSOR.fullmatch(name) and (temperature := _possible(sensor.current)) is not None
    ]
    return max(heats, default=Heat(), key=lambda heat: heat.temperature_c or 0)


def _degrees(path: Path) -> float | None:
    text = read_text_or_empty(path).strip()  # in thousandths
    return _possible(int(text) / 1000) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def _possible(value: float | None) -> float | None:
    return value if value is not None and _POSSIBLE_C[0] <= value <= _POSSIBLE_C[1] else None
