"""Which image fifty computers of 2026 get. The answers were written before they were asked for."""

from typing import Any

import pytest

from tests.plan.computers import gpu, machine
from voxmatrix.machine.facts import Machine, TorchBuild
from voxmatrix.plan.image_advice import best_image
from voxmatrix.plan.verdict import assess

ARM: dict[str, Any] = {"architecture": "aarch64"}
WSL: dict[str, Any] = {"wsl": True}

NVIDIA = [
    ("GTX 750 Ti, driver 470", "5.0", "470.256.02", {}, "cpu"),
    ("Quadro K2200", "5.0", "535.183.01", {}, "cuda"),
    ("Tesla M40", "5.2", "550.127.05", {}, "cuda"),
    ("GTX 1050 Ti, the last driver for it", "6.1", "580.105.08", {}, "cuda"),
    ("Tesla P4", "6.1", "550.90.07", {}, "cuda"),
    ("Tesla P100", "6.0", "570.124.06", {}, "cuda"),
    ("TITAN V", "7.0", "580.95.05", {}, "cuda"),
    ("Tesla V100S", "7.0", "525.147.05", {}, "cuda"),
    ("Tesla K80", "3.7", "470.256.02", {}, "cpu"),
    ("Quadro RTX 4000", "7.5", "570.172.08", {}, "blackwell"),
    ("T4, driver 535", "7.5", "535.230.02", {}, "cuda"),
    ("T4", "7.5", "580.95.05", {}, "cuda13"),
    ("T1000", "7.5", "590.48.01", {}, "cuda13"),
    ("A2", "8.6", "550.163.01", {}, "cuda"),
    ("A16", "8.6", "575.57.08", {}, "blackwell"),
    ("RTX A2000 Laptop", "8.6", "580.65.06", {}, "cuda13"),
    ("A30 MIG 1g.6gb", "8.0", "560.35.05", {"mig": True}, "cuda"),
    ("A40-8Q (vGPU)", "8.6", "550.163.01", {}, "cuda"),
    ("A800", "8.0", "570.133.20", {}, "blackwell"),
    ("L40S-12Q (vGPU)", "8.9", "580.95.05", {}, "cuda13"),
    ("L40S", "8.9", "575.51.03", {}, "blackwell"),
    ("L4", "8.9", "550.54.15", {}, "cuda"),
    ("RTX 4080 SUPER", "8.9", "595.58.03", {}, "cuda13"),
    ("RTX 2000 Ada, driver 520", "8.9", "520.61.05", {}, "cpu"),
    ("H100 NVL", "9.0", "550.127.08", {}, "cuda"),
    ("H200", "9.0", "570.133.20", {}, "blackwell"),
    ("H20", "9.0", "580.82.07", {}, "cuda13"),
    ("GH200, driver 570", "9.0", "570.133.20", ARM, "cpu"),
    ("GH200", "9.0", "580.82.07", ARM, "cuda13"),
    ("B200", "10.0", "570.148.08", {}, "blackwell"),
    ("B300", "10.3", "580.95.05", {}, "cuda13"),
    ("B300, driver 575", "10.3", "575.57.08", {}, "blackwell"),
    ("GB300", "10.3", "580.95.05", ARM, "cuda13"),
    ("RTX 5050 Laptop", "12.0", "575.64.03", {}, "blackwell"),
    ("RTX 5070 Ti", "12.0", "590.44.01", {}, "cuda13"),
    ("RTX PRO 6000 MIG 1g.24gb", "12.0", "575.57.08", {"mig": True}, "blackwell"),
    ("GB10 (DGX Spark)", "12.1", "580.95.05", ARM, "cuda13"),
    ("GB10, driver 570", "12.1", "570.0", ARM, "cpu"),
    ("Thor (JetPack 7)", "11.0", "580.00", ARM, "cuda13"),
    ("Orin (JetPack 6)", "8.7", "540.4.0", ARM, "cpu"),
    ("Orin (JetPack 7.2)", "8.7", "595.58.03", ARM, "cuda13"),
    ("Xavier", "7.2", "35.4", ARM, "cpu"),
    ("RTX 3050 Laptop in WSL2", "8.6", "566.36", WSL, "cuda"),
    ("RTX 3070 in WSL2", "8.6", "576.80", WSL, "blackwell"),
    ("RTX 5080 in WSL2", "12.0", "581.42", WSL, "cuda13"),
]
OTHERS = [
    ("Strix Halo", "rocm", "gfx1151", "linux", "x86_64", "rocm"),
    ("MI355X", "rocm", "gfx950", "linux", "x86_64", "rocm"),
    ("RX 9060 XT", "rocm", "gfx1200", "linux", "x86_64", "rocm"),
    ("Radeon 780M", "rocm", "gfx1103", "linux", "x86_64", "cpu"),
    ("RX 6600", "rocm", "gfx1032", "linux", "x86_64", "cpu"),
    ("Arc B580", "xpu", "bmg", "linux", "x86_64", "xpu"),
    ("Arc A770", "xpu", "dg2", "linux", "x86_64", "xpu"),
    ("UHD Graphics 770", "xpu", None, "linux", "x86_64", "cpu"),
    ("Radeon RX 7800 XT in Windows", "directml", None, "windows", "AMD64", "directml-windows"),
    ("Adreno X1-85 in Windows", "directml", None, "windows", "ARM64", "cpu"),
    ("Apple M4", "mps", None, "macos", "arm64", "cpu"),
]


@pytest.mark.parametrize(("name", "capability", "driver", "more", "image"), NVIDIA, ids=[row[0] for row in NVIDIA])
def test_nvidia(name: str, capability: str, driver: str, more: dict[str, Any], image: str) -> None:
    one = gpu(name, capability, 8192, driver=driver, mig=more.get("mig", False))
    around = {"architecture": more.get("architecture", "x86_64"), "wsl": more.get("wsl", False)}
    assert best_image(one, machine(one, **around)).name == image


@pytest.mark.parametrize(
    ("name", "kind", "target", "platform", "architecture", "image"), OTHERS, ids=[row[0] for row in OTHERS]
)
def test_others(name: str, kind: str, target: str | None, platform: str, architecture: str, image: str) -> None:
    one = gpu(name, None, 8192, kind=kind, target=target)
    assert best_image(one, machine(one, platform=platform, architecture=architecture)).name == image


@pytest.mark.parametrize(
    ("version", "kernels", "kind", "target"),
    [("2.13.0+xpu", ("bmg",), "xpu", "bmg"), ("2.5.1+rocm6.1", ("gfx1100",), "rocm", "gfx1100")],
)
def test_a_build_whose_version_alone_says_what_it_is_for_is_known_by_it(
    version: str, kernels: tuple[str, ...], kind: str, target: str
) -> None:
    one = gpu("its GPU", None, 16384, kind=kind, target=target)
    build = TorchBuild(version=version, kernels=kernels)
    assert assess(one, Machine(platform="linux", cpus=8, gpus=(one,), torch=build)).verdict == "native"


def test_what_the_windows_launcher_installed_has_nothing_left_to_do() -> None:
    one = gpu("Radeon 640", None, 4063, kind="directml")
    there = machine(one, platform="windows", architecture="AMD64", torch=TorchBuild(version="2.4.1+cpu"))
    assert assess(one, there).remedy == ""
    other = machine(one, platform="windows", architecture="AMD64", torch=TorchBuild(version="2.13.0+cpu"))
    assert "directml-windows" in assess(one, other).remedy
