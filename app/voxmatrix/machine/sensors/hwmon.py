"""Temperatures and power as Linux lists them: /sys/class/hwmon, and /sys/class/thermal where boards have no more."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from voxmatrix.machine.text import read_text

#: Drivers whose first temperature is that of a processor: Intel's, AMD's, boards'.
_PROCESSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")
_PROCESSOR_ZONE = re.compile(r"x86_pkg_temp|(cpu|soc)\d*[-_]therm.*", re.IGNORECASE)
#: What a chip can be; sensors that are broken or asleep say 0, -273 or millions.
_POSSIBLE_C = (1.0, 150.0)


class Heat(NamedTuple):
    """In degrees Celsius; `throttle_c` is where the device slows itself down."""

    temperature_c: float | None = None
    throttle_c: float | None = None


def read_heat(sensor: Path) -> Heat:
    """The first temperature of one folder of hwmon."""
    return Heat(_degrees(sensor / "temp1_input"), _degrees(sensor / "temp1_crit"))


def read_watts(sensor: Path) -> float | None:
    """What the device draws, of one folder of hwmon."""
    for name in ("power1_average", "power1_input"):
        text = read_text(sensor / name).strip()  # in microwatts
        if text.isdecimal():
            return int(text) / 1e6
    return None


def processor_heat(root: Path = Path("/")) -> Heat:
    """The hottest processor; unknown where none has a sensor (in most virtual machines)."""
    sensors = (root / "sys/class/hwmon").glob("hwmon*")
    heats = [read_heat(sensor) for sensor in sensors if read_text(sensor / "name").strip() in _PROCESSORS]
    zones = (root / "sys/class/thermal").glob("thermal_zone*")
    return (
        _hottest(heats)
        or _hottest(
            Heat(_degrees(zone / "temp"))
            for zone in zones
            if _PROCESSOR_ZONE.fullmatch(read_text(zone / "type").strip())
        )
        or Heat()
    )


def _hottest(heats: Iterable[Heat]) -> Heat | None:
    known = [heat for heat in heats if heat.temperature_c is not None]
    return max(known, key=lambda heat: heat.temperature_c or 0, default=None)


def _degrees(path: Path) -> float | None:
    text = read_text(path).strip()  # in thousandths
    if not re.fullmatch(r"-?[0-9]{1,9}", text):
        return None
    value = int(text) / 1000
    return value if _POSSIBLE_C[0] <= value <= _POSSIBLE_C[1] else None
