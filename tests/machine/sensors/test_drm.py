"""AMD's and Intel's GPUs in pretended folders of the kernel."""

from pathlib import Path

import pytest

from tests.machine.pretended import card, pretend
from voxmatrix.machine.sensors.drm import DrmSensor, find_adapter
from voxmatrix.machine.sensors.reading import Reading

GIB = 1024**3


def look(folder: Path) -> Reading:
    return DrmSensor(device="cuda:0", folder=folder, clock=lambda: 5.0)()


def test_an_amd_card_tells_all(tmp_path: Path) -> None:
    files = {
        "gpu_busy_percent": "93\n",
        "mem_info_vram_total": f"{24 * GIB}\n",
        "mem_info_vram_used": f"{11 * GIB}\n",
        "hwmon/hwmon3/temp1_input": "71000\n",
        "hwmon/hwmon3/temp1_crit": "100000\n",
        "hwmon/hwmon3/power1_average": "212000000\n",
    }
    assert look(pretend(tmp_path, files)) == Reading(
        device="cuda:0",
        seconds=5.0,
        used_mib=11 * 1024,
        total_mib=24 * 1024,
        needed_mib=11 * 1024,
        utilisation=0.93,
        temperature_c=71.0,
        throttle_c=100.0,
        power_w=212.0,
    )


@pytest.mark.parametrize("text", ["", "busy", "-1", "99999", "\udcff".encode(errors="replace").decode()])
def test_what_a_driver_does_not_write_is_unknown(tmp_path: Path, text: str) -> None:
    pretend(tmp_path, {"gpu_busy_percent": text, "mem_info_vram_used": text})
    assert look(tmp_path) == Reading(device="cuda:0", seconds=5.0)


def test_an_adapter_is_found_by_its_address(tmp_path: Path) -> None:
    card(tmp_path, 0, "0000:03:00.0", vendor="0x1002")
    card(tmp_path, 1, "0000:c1:00.0", vendor="0x1002")
    card(tmp_path, 2, "0000:00:02.0", vendor="0x8086")
    found = find_adapter("rocm", "0000:c1:00.0", tmp_path)
    assert found is not None and found.name == "0000:c1:00.0"
    assert find_adapter("rocm", "0000:99:00.0", tmp_path) is None
    assert find_adapter("rocm", "0000:00:02.0", tmp_path) is None  # another maker's


def test_without_an_address_only_a_single_one_is_meant(tmp_path: Path) -> None:
    card(tmp_path, 0, "0000:03:00.0", vendor="0x1002")
    found = find_adapter("rocm", None, tmp_path)
    assert found is not None and found.name == "0000:03:00.0"
    card(tmp_path, 1, "0000:c1:00.0", vendor="0x1002")
    assert find_adapter("rocm", None, tmp_path) is None
