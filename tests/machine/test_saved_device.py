"""A device is chosen, remembered and found again."""

import os
import tomllib
from pathlib import Path

import pytest

from voxmatrix.errors import UsageError
from voxmatrix.machine import saved_device
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.record import read_machine

MACHINES = Path(__file__).parent.parent / "machines"
OLD = Gpu(index=0, kind="cuda", uuid="GPU-old", memory_mib=11264)
NEW = Gpu(index=1, kind="cuda", uuid="GPU-new", memory_mib=32607)
INTEL = Gpu(index=0, kind="xpu", memory_mib=65536)


def machine(*gpus: Gpu) -> Machine:
    return Machine(platform="linux", cpus=4, memory_mib=100_000, gpus=gpus)


def settings() -> Path:
    return Path(os.environ["VOXMATRIX_HOME"]) / "settings.toml"


def test_a_card_is_found_by_its_uuid_wherever_it_sits_now() -> None:
    saved_device.save_device(saved_device.saved_device_of(NEW))
    kept = saved_device.saved_device()
    moved = Gpu(index=0, kind="cuda", uuid="GPU-new")

    assert kept is not None
    assert tomllib.loads(settings().read_text())["device"] == {"device": "cuda:1", "uuid": "GPU-new", "index": 1}
    assert saved_device.find_saved_device(machine(moved), kept) == moved
    assert not saved_device.is_here(machine(OLD), kept)


def test_a_card_without_uuid_is_found_by_its_name_and_the_cpu_is_always_here() -> None:
    assert saved_device.find_saved_device(machine(OLD, INTEL), saved_device.saved_device_of(INTEL)) == INTEL
    assert saved_device.is_here(machine(), saved_device.saved_device_of(None))


def test_other_settings_are_kept() -> None:
    settings().write_text('quality = "low"\n\n[device]\ndevice = "cuda:7"\n\n[serve]\nport = 5\n', encoding="utf-8")
    saved_device.save_device(saved_device.saved_device_of(OLD))
    saved_device.save_device(saved_device.saved_device_of(None))
    assert tomllib.loads(settings().read_text()) == {
        "quality": "low",
        "serve": {"port": 5},
        "device": {"device": "cpu"},
    }


def test_broken_settings_are_named_and_not_overwritten() -> None:
    settings().write_text("device = [", encoding="utf-8")
    with pytest.raises(UsageError, match=r"settings\.toml"):
        saved_device.saved_device()
    with pytest.raises(UsageError):
        saved_device.save_device(saved_device.saved_device_of(OLD))
    assert settings().read_text() == "device = ["


@pytest.mark.parametrize("text", ["", "device = 5", "[device]\ndevice = 5"])
def test_settings_without_a_device_remember_none(text: str) -> None:
    settings().write_text(text, encoding="utf-8")
    assert saved_device.saved_device() is None


@pytest.mark.parametrize("path", sorted(MACHINES.glob("*.json")), ids=lambda path: path.stem)
def test_every_device_of_every_described_computer_is_found_again(path: Path) -> None:
    computer = read_machine(path)
    for gpu in (*computer.gpus, None):
        assert saved_device.find_saved_device(computer, saved_device.saved_device_of(gpu)) == gpu
