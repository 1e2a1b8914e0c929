"""Jetson boards from a pretended device tree."""

from pathlib import Path

from tests.machine.pretended import pretend
from voxmatrix.machine.facts import Capability
from voxmatrix.machine.probes.nvidia import visible_gpus
from voxmatrix.machine.probes.tegra import read_cards


def test_a_jetson_is_known_by_its_chip_and_shares_its_memory(tmp_path: Path) -> None:
    files = {
        "proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0",
        "proc/device-tree/compatible": "nvidia,p3737-0000+p3701-0005\0nvidia,p3701-0005\0nvidia,tegra234\0",
    }
    (gpu,) = visible_gpus(read_cards(pretend(tmp_path, files)), None)
    assert (gpu.name, gpu.capability, gpu.unified) == ("NVIDIA Jetson AGX Orin Developer Kit", Capability(8, 7), True)


def test_another_board_is_none(tmp_path: Path) -> None:
    assert read_cards(pretend(tmp_path, {"proc/device-tree/compatible": "raspberrypi,5-model-b\0brcm,bcm2712\0"})) == ()
