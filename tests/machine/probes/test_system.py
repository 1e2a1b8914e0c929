"""System, processor, WSL2 and container from pretended files."""

from pathlib import Path

import pytest

from tests.machine.pretended import pretend
from voxmatrix.machine.probes import system


def test_the_processor_is_named_without_needless_spaces(tmp_path: Path) -> None:
    files = {"proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD  Ryzen 9   7950X\n\nmodel name\t: other\n"}
    assert system.read_cpu(pretend(tmp_path, files)) == "AMD Ryzen 9 7950X"


def test_an_arm_board_names_itself(tmp_path: Path) -> None:
    files = {"proc/cpuinfo": "processor: 0\n", "proc/device-tree/model": "NVIDIA Jetson AGX Orin Developer Kit\0"}
    assert system.read_cpu(pretend(tmp_path, files)) == "NVIDIA Jetson AGX Orin Developer Kit"


def test_wsl2_is_known_by_its_kernel(tmp_path: Path) -> None:
    place = "proc/sys/kernel/osrelease"
    assert system.read_wsl(pretend(tmp_path, {place: "5.15.167.4-microsoft-standard-WSL2\n"}))
    assert not system.read_wsl(pretend(tmp_path, {place: "6.1.0-18-amd64\n"}))


@pytest.mark.parametrize(
    "files",
    [{".dockerenv": ""}, {"run/.containerenv": ""}, {"proc/1/cgroup": "1:cpu:/kubepods/burstable/pod1\n"}],
)
def test_a_container_is_known_by_what_its_engine_leaves(
    tmp_path: Path, files: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("container", raising=False)
    assert not system.read_container(tmp_path)
    assert system.read_container(pretend(tmp_path, files))


def test_podman_with_a_read_only_root_leaves_only_a_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("container", "podman")
    assert system.read_container(tmp_path)


@pytest.mark.parametrize(
    ("cpuinfo", "has"),
    [
        ("flags\t\t: fpu avx512f avx512_bf16 avx512vbmi\n", True),
        ("flags\t\t: fpu amx_bf16 amx_tile\n", True),
        ("Features\t: fp asimd i8mm bf16\n", True),
        ("flags\t\t: fpu avx2 avx512f\n", False),
        ("processor\t: 0\n", None),
        ("", None),
    ],
)
def test_bf16_is_known_by_the_instructions(tmp_path: Path, cpuinfo: str, has: bool | None) -> None:
    assert system.read_cpu_bf16(pretend(tmp_path, {"proc/cpuinfo": cpuinfo})) is has


def test_only_apples_own_processors_have_apples_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system.platform, "machine", lambda: "arm64")
    assert system.read_apple_gpu()[0].kind == "mps"
    monkeypatch.setattr(system.platform, "machine", lambda: "AMD64")
    assert system.read_apple_gpu() == ()
    assert system.read_architecture() == "x86_64"


@pytest.mark.parametrize(("kernel", "programs"), [("aarch64", "armv7l"), ("x86_64", "i686"), ("armv7l", "armv7l")])
def test_programs_of_32_bits_are_not_what_their_kernel_says(
    kernel: str, programs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Raspberry Pi OS of 32 bits has a kernel of 64."""
    monkeypatch.setattr("platform.machine", lambda: kernel)
    monkeypatch.setattr("sys.platform", "linux")
    assert system.read_architecture() == kernel
    monkeypatch.setattr("sys.maxsize", 2**31 - 1)
    assert system.read_architecture() == programs
