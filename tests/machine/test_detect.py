"""This computer from its probes: a broken one costs its fact, and a note says so."""

import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.machine.pretended import pretend, pretend_memory
from voxmatrix.errors import BadInputError
from voxmatrix.machine import detect as module
from voxmatrix.machine.detect import NvidiaCards, detect, read_nvidia
from voxmatrix.machine.facts import Capability, TorchBuild
from voxmatrix.machine.probes import nvidia_smi, torch_build
from voxmatrix.machine.probes.nvidia import NvidiaCard
from voxmatrix.machine.record import read_machine, write_machine

CARDS = tuple(
    NvidiaCard(bus=f"0:{n + 1}:0.0", uuid=f"GPU-{n}", name=f"RTX {n}", capability=Capability(12, 0), memory_mib=1000)
    for n in range(2)
)
FILES = {
    "proc/cpuinfo": "model name : Ryzen\n",
    "sys/fs/cgroup/cpu.max": "100000 100000\n",
    "dev/shm/empty": "",
}

linux = pytest.mark.skipif(sys.platform != "linux", reason="the pretended files are those of Linux")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "read_nvidia", lambda root: NvidiaCards(CARDS))
    pretend_memory(monkeypatch, total_mib=2000, available_mib=1000)
    return pretend(tmp_path / "root", FILES)


@linux
def test_all_facts_of_a_pretended_computer_are_there(root: Path) -> None:
    machine, notes = detect(root, {"VOXMATRIX_IMAGE": "blackwell"})

    assert notes == ()
    assert (machine.platform, machine.cpu, machine.cpus) == ("linux", "Ryzen", 1)
    assert (machine.memory_mib, machine.available_mib, machine.image) == (2000, 1000, "blackwell")
    assert machine.shm_mib is not None
    assert [gpu.name for gpu in machine.gpus] == ["RTX 0", "RTX 1"]
    assert machine.torch is not None


def test_hidden_gpus_are_not_there(root: Path) -> None:
    machine = detect(root, {"CUDA_VISIBLE_DEVICES": "1"}).machine
    assert [gpu.index for gpu in machine.gpus] == [1]
    assert (machine.hidden_gpus, machine.visible_devices) == (1, "1")
    assert detect(root, {"CUDA_VISIBLE_DEVICES": ""}).machine.hidden_gpus == 2
    assert (detect(root, {}).machine.hidden_gpus, detect(root, {}).machine.visible_devices) == (0, None)


def test_a_driver_that_hangs_costs_the_gpus_and_nothing_else(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = threading.Event()
    monkeypatch.setattr(module, "read_nvidia", lambda root: never.wait())
    machine, notes = detect(root, {}, timeout_seconds=0.2)
    never.set()

    assert machine.gpus == ()
    assert any("NVIDIA GPUs" in note.problem for note in notes)


def test_a_torch_that_dies_when_asked_costs_its_kernels_alone(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = pretend(root / "torch", {"version.py": "__version__ = '2.10.0+cu128'\ncuda = '12.8'\n"})

    def dies() -> tuple[str, ...]:
        raise subprocess.CalledProcessError(-11, "python")

    monkeypatch.setattr(torch_build, "find_torch", lambda: folder)
    monkeypatch.setattr(torch_build, "_query_torch", dies)
    machine, (note,) = detect(root, {})

    assert machine.torch == TorchBuild(version="2.10.0+cu128", cuda="12.8")
    assert "torch's kernels" in note.problem


@linux
def test_wsl2_shows_its_adapter_only_where_cuda_sees_no_card(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(root, {"proc/sys/kernel/osrelease": "5.15-microsoft-standard-WSL2", "dev/dxg": ""})
    assert [gpu.kind for gpu in detect(root, {}).machine.gpus] == ["cuda", "cuda"]
    monkeypatch.setattr(module, "read_nvidia", lambda root: NvidiaCards())
    machine, _ = detect(root, {})
    assert machine.wsl
    assert [gpu.kind for gpu in machine.gpus] == ["directml"]


def test_this_computer_can_be_written_and_read_again(tmp_path: Path) -> None:
    machine, _ = detect()
    write_machine(machine, tmp_path / "machine.json")
    assert read_machine(tmp_path / "machine.json") == machine


def test_without_bindings_the_program_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    monkeypatch.setattr(nvidia_smi, "read_cards", lambda: CARDS)
    assert read_nvidia() == NvidiaCards(CARDS)


def test_without_a_driver_there_is_no_card_and_nothing_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NotFoundError(Exception):
        value = 12

    def absent() -> None:
        raise NotFoundError

    bindings = SimpleNamespace(
        NVMLError=Exception, NVMLError_LibraryNotFound=NotFoundError, nvmlInit=absent, nvmlLib=None
    )
    monkeypatch.setitem(sys.modules, "pynvml", bindings)
    assert read_nvidia(tmp_path) == NvidiaCards()
    pretend(tmp_path, {"dev/nvidiactl": ""})
    assert read_nvidia(tmp_path) == NvidiaCards(error="nvml missing")  # a container without its libraries
    bindings.nvmlLib = "the library"  # which answers that another part of the driver is not here
    assert read_nvidia(tmp_path) == NvidiaCards(error="nvml 12")


def test_the_error_of_a_driver_that_fails_is_a_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FailsError(Exception):
        value = 18

    def fails() -> None:
        raise FailsError

    bindings = SimpleNamespace(NVMLError=FailsError, NVMLError_LibraryNotFound=KeyError, nvmlInit=fails)
    monkeypatch.setitem(sys.modules, "pynvml", bindings)
    assert read_nvidia(tmp_path) == NvidiaCards(error="nvml 18")
    board = pretend(tmp_path / "jetson", {"proc/device-tree/compatible": "nvidia,tegra234\0"})
    assert [card.capability for card in read_nvidia(board).cards] == [Capability(8, 7)]


def test_a_driver_that_lists_no_gpu_is_a_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the open kernel modules with a GTX 10, or the driver of a card that is unplugged."""
    bindings = SimpleNamespace(
        NVMLError=ValueError, NVMLError_LibraryNotFound=KeyError, nvmlInit=lambda: None, nvmlShutdown=lambda: None,
        nvmlSystemGetDriverVersion=lambda: "580.178.04", nvmlDeviceGetCount=lambda: 0,
    )  # fmt: skip
    monkeypatch.setitem(sys.modules, "pynvml", bindings)
    assert read_nvidia(tmp_path) == NvidiaCards(error="nvml none")


def test_a_described_computer_takes_the_place_of_this_one_and_a_note_says_so(tmp_path: Path) -> None:
    described = Path(__file__).parents[1] / "machines" / "h100.json"
    found, notes = detect(environment={"VOXMATRIX_MACHINE": str(described)})
    assert found == read_machine(described)
    assert str(described) in notes[0].problem
    with pytest.raises(BadInputError, match="nowhere"):
        detect(environment={"VOXMATRIX_MACHINE": str(tmp_path / "nowhere.json")})
