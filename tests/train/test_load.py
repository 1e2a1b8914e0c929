"""A device in a few words."""

import pytest

from voxmatrix.machine.sensors.reading import Reading
from voxmatrix.train.load import load


@pytest.mark.parametrize(
    ("reading", "words"),
    [
        (
            Reading(device="cuda:0", seconds=0, used_mib=11469, total_mib=12288, utilisation=0.93, temperature_c=71.4),
            "GPU 93 %  11.2/12.0 GiB  71 °C",
        ),
        (Reading(device="cpu", seconds=0, used_mib=1434, total_mib=23962, utilisation=0.97), "CPU 97 %  1.4/23.4 GiB"),
        (Reading(device="cuda:1", seconds=0, utilisation=0.0), "GPU 0 %"),
        (Reading(device="cuda:1", seconds=0, used_mib=5, power_w=5.0), ""),
        (Reading(device="cpu", seconds=0), ""),
        (None, ""),
    ],
)
def test_what_is_known_is_shown_and_nothing_else(reading: Reading | None, words: str) -> None:
    assert load(reading) == words
