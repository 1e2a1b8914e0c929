"""Starting stays cheap: nothing is probed for a voice that the CPU speaks in any case."""

from pathlib import Path
from typing import Any

import pytest

from tests.speak.gpus import OLD, RADEON, T4, computer
from voxmatrix.errors import BadInputError, NoDeviceError
from voxmatrix.machine import detect
from voxmatrix.machine.saved_device import SavedDevice, save_device
from voxmatrix.plan.device_request import AUTO, gpu_or_cpu, parse_device
from voxmatrix.speak import device_selection as module
from voxmatrix.speak.device import CPU
from voxmatrix.speak.device_selection import find_device


@pytest.fixture
def onnx(tmp_path: Path) -> Path:
    (tmp_path / "a.onnx").touch()
    return tmp_path / "a.onnx"


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    (tmp_path / "last.ckpt").touch()
    return tmp_path / "last.ckpt"


def providers(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> None:
    monkeypatch.setattr(module, "served_kinds", lambda: frozenset(kinds))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Times that this computer was probed; it has three GPUs."""
    probed: list[str] = []

    def probe() -> detect.Detection:
        probed.append("probed")
        return detect.Detection(computer(OLD, T4, RADEON), ())

    monkeypatch.setattr(detect, "detect", probe)
    return probed


def test_an_onnx_voice_on_a_cpu_only_onnxruntime_probes_nothing_and_says_nothing(
    onnx: Path, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    providers(monkeypatch)
    assert find_device(onnx, AUTO) == (CPU, ()) and not found


def test_no_gpu_is_looked_for_when_the_cpu_was_asked_for(checkpoint: Path, found: list[str]) -> None:
    assert find_device(checkpoint, parse_device("cpu", "flag", "--device cpu")) == (CPU, ()) and not found


@pytest.mark.parametrize("text", ["cuda:1", "cuda", "directml:0", "1", "gpu", "xpu"])
def test_a_demand_on_an_onnx_voice_that_nothing_here_serves_is_exit_4_with_what_to_do(
    onnx: Path, found: list[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    providers(monkeypatch)

    with pytest.raises(NoDeviceError, match=f"--device {text}: the onnxruntime") as caught:
        find_device(onnx, parse_device(text, "flag", f"--device {text}"))

    assert caught.value.exit_code == 4 and not found
    assert "checkpoint" in caught.value.remedy and "onnxruntime-gpu" in caught.value.remedy


def test_a_wish_on_such_a_voice_is_a_warning(onnx: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    providers(monkeypatch)

    device, findings = find_device(onnx, gpu_or_cpu("yes", None, "flag", "--use-gpu"))

    assert device == CPU and findings[0].severity == "warning" and findings[0].remedy


def test_a_provider_finds_its_gpu(onnx: Path, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    providers(monkeypatch, "cuda")
    device = find_device(onnx, AUTO).device
    assert device.on is not None and device.on.gpu == T4 and found == ["probed"]


def test_a_checkpoint_finds_its_gpu_and_what_is_remembered_is_read(checkpoint: Path, found: list[str]) -> None:
    best = find_device(checkpoint, AUTO).device
    save_device(SavedDevice(device="directml:0"))
    saved_device = find_device(checkpoint.parent, AUTO).device

    assert best.on and best.on.gpu == T4
    assert saved_device.on and saved_device.on.gpu == RADEON


def test_a_voice_that_is_not_there_is_said_before_anything_is_probed(tmp_path: Path, found: Any) -> None:
    with pytest.raises(BadInputError, match="no voice"):
        find_device(tmp_path / "none.onnx", AUTO)
    assert not found
