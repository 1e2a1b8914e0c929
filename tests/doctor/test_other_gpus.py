"""What is reported about AMD and Intel GPUs, in their images and in others. None of them is at hand."""

from dataclasses import replace
from pathlib import Path

import pytest

from voxmatrix.doctor.examine import _to_test, chosen_gpu
from voxmatrix.doctor.findings import of_torch
from voxmatrix.doctor.report import assessments_of, make_report
from voxmatrix.machine.facts import Machine, TorchBuild
from voxmatrix.machine.record import read_machine

MACHINES = Path(__file__).parents[1] / "machines"
ROCM = TorchBuild(version="2.11.0+rocm7.2", hip="7.2.1", kernels=("gfx942", "gfx1100"))
XPU = TorchBuild(version="2.11.0+xpu", xpu="20250302", kernels=("pvc", "dg2", "bmg"))


def described(name: str, torch: TorchBuild | None = None) -> Machine:
    machine = read_machine(MACHINES / f"{name}.json")
    return machine if torch is None else replace(machine, torch=torch)


@pytest.mark.parametrize(("name", "row"), [("amd", "rocm"), ("intel", "xpu")])
def test_a_cpu_torch_leaves_them_alone_and_names_the_image_to_build(name: str, row: str) -> None:
    machine = described(name)
    chosen = chosen_gpu(machine, assessments_of(machine), "auto")
    assert chosen is None
    report = make_report(machine, chosen)
    assert report.exit_code == 0
    assert any(f"./run build-{row}" in finding.remedy for finding in report.findings)


@pytest.mark.parametrize(("name", "torch"), [("amd", ROCM), ("intel", XPU)])
def test_in_their_image_they_are_tested(name: str, torch: TorchBuild) -> None:
    machine = described(name, torch)
    chosen = chosen_gpu(machine, assessments_of(machine), "auto")
    assert chosen == machine.gpus[0]
    assert _to_test(machine, chosen, "auto") == [chosen]


def test_an_amd_gpu_of_unknown_architecture_is_tested_too() -> None:
    machine = described("amd", ROCM)
    unknown = replace(machine.gpus[0], target=None)
    machine = replace(machine, gpus=(unknown,))
    chosen = chosen_gpu(machine, assessments_of(machine), "auto")
    assert _to_test(machine, chosen, "auto") == [unknown]


def test_an_amd_gpu_without_kernels_is_an_error_in_the_image_for_them() -> None:
    machine = described("amd-rx-580", ROCM)
    chosen = chosen_gpu(machine, assessments_of(machine), "auto")
    report = make_report(machine, chosen)
    assert report.exit_code == 5
    assert "gfx803" in report.findings[0].problem


@pytest.mark.parametrize(
    ("torch", "name", "option"), [(ROCM, "ROCm", "--device /dev/kfd"), (XPU, "XPU", "--device /dev/dri")]
)
def test_their_torch_without_a_gpu_says_how_to_give_it_one(torch: TorchBuild, name: str, option: str) -> None:
    machine = Machine(platform="linux", cpus=4, torch=torch)
    (finding,) = of_torch(machine)
    assert f"is built for {name}, but there is no GPU" in finding.problem
    assert "driver" in finding.remedy
    (finding,) = of_torch(replace(machine, container=True))
    assert option in finding.remedy
