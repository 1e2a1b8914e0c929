"""The report on described computers: the shape of the design, the exit codes, the text."""

import io
import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from voxmatrix.doctor.examine import describe
from voxmatrix.doctor.report import DoctorReport, make_report, requirements
from voxmatrix.doctor.smoke import OperationResult
from voxmatrix.doctor.text import show
from voxmatrix.errors import Finding, NoDeviceError, UsageError
from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.machine.record import read_machine

MACHINES = sorted((Path(__file__).parents[1] / "machines").glob("*.json"))
TORCH = TorchBuild(version="2.10.0+cu128", cuda="12.8", kernels=("sm_75", "sm_80", "sm_120"))
GPU = Gpu(index=0, kind="cuda", name="RTX 4090", capability=Capability(8, 9), driver="570.86.10")


def computer(*gpus: Gpu, torch: TorchBuild | None = TORCH, shm_mib: int | None = None, wsl: bool = False) -> Machine:
    return Machine(platform="linux", cpus=8, gpus=gpus, torch=torch, shm_mib=shm_mib, wsl=wsl, container=True)


def result(op: str = "matmul", ok: bool = True, problem: str = "") -> OperationResult:
    return OperationResult(gpu=0, op=op, dtype="float32", ok=ok, max_abs_error=0.5, milliseconds=1.0, problem=problem)


def text(report: DoctorReport) -> str:
    console = Console(file=io.StringIO(), width=200, color_system=None)
    show(report, console)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_every_recorded_computer_has_a_report_in_the_shape_of_the_design(path: Path) -> None:
    machine = read_machine(path)
    answer = describe(machine, "auto").to_json()
    assert list(answer) == ["machine", "image", "gpus", "smoke", "flash_attention", "findings", "exit_code"]
    assert [row["index"] for row in answer["gpus"]] == [gpu.index for gpu in machine.gpus]
    for row in answer["gpus"]:
        assert set(row) == {"index", "verdict", "reason", "remedy", "image", "advice"}
    for row in answer["findings"]:
        assert set(row) == {"severity", "problem", "remedy"}
        assert all(row.values())
    assert set(answer["flash_attention"]) == {"installed", "version", "usable", "reason"}
    assert answer["exit_code"] in (0, 4, 5, 7)
    for gpu in machine.gpus:
        assert f"GPU {gpu.index}" in text(describe(machine, "auto"))


def test_a_smoke_row_has_the_shape_of_the_design() -> None:
    (row,) = make_report(computer(GPU), GPU, [result()]).to_json()["smoke"]
    assert list(row) == ["gpu", "op", "dtype", "ok", "max_abs_error", "milliseconds"]


def test_exit_codes_say_whether_the_chosen_device_works() -> None:
    new = Gpu(index=1, kind="cuda", capability=Capability(13, 0), driver="700.1")
    old = Gpu(index=1, kind="cuda", capability=Capability(12, 0), driver="550.1")
    assert describe(computer(GPU), "auto").exit_code == 0
    assert describe(computer(new), "auto").exit_code == 5
    assert describe(computer(new, GPU), "auto").exit_code == 0
    assert describe(computer(new), "cpu").exit_code == 0
    assert describe(computer(old), "auto").exit_code == 4
    assert describe(computer(GPU, torch=None), "auto").exit_code == 7
    assert describe(computer(GPU, torch=TorchBuild(version="2.13.0+cpu")), "auto").exit_code == 0
    assert make_report(computer(GPU), GPU, [result(ok=False, problem="wrong")]).exit_code == 5
    assert make_report(computer(GPU), GPU, [result("import torch", ok=False, problem="no libc10")]).exit_code == 7


def test_an_image_for_gpus_without_one_is_an_error_unless_the_cpu_is_wanted() -> None:
    image = replace(computer(), image="blackwell")
    for machine in (image, replace(image, driver_error="nvml 999"), replace(computer(), driver_error="nvml 999")):
        report = describe(machine, "auto")
        assert report.exit_code == 4
        assert report.findings[0].severity == "error"
        assert describe(machine, "cpu").exit_code == describe(machine, "auto", is_cpu_allowed=True).exit_code == 0
    assert describe(computer(), "auto").exit_code == 0  # a wheel with CUDA on a computer without a GPU is usual
    hidden = replace(computer(), hidden_gpus=2, visible_devices="-1")
    assert "2 NVIDIA GPUs hidden by CUDA_VISIBLE_DEVICES=-1" in text(describe(hidden, "auto"))


def test_the_image_for_the_cpu_says_why_a_gpu_cannot_be_used_and_goes_on() -> None:
    machine = replace(computer(torch=TorchBuild(version="2.13.0+cpu")), image="cpu", driver_error="nvml 15")
    report = describe(machine, "auto")
    assert report.exit_code == 0
    assert [(found.severity, "is lost" in found.problem) for found in report.findings] == [("warning", True)]


def test_a_gpu_on_which_cuda_does_not_start_has_no_verdict_and_exit_4() -> None:
    report = make_report(computer(GPU), GPU, [result("start CUDA", ok=False, problem="cuda 803")])
    assert (report.assessments[0].verdict, report.exit_code) == (None, 4)
    shown = text(report)
    assert "different versions (CUDA error 803)" in shown
    assert "report this" not in shown
    assert "kernels run on" not in shown
    other = make_report(computer(GPU), GPU, [result("start CUDA", ok=False, problem="cuda 7")])
    assert "CUDA does not start (CUDA error 7)" in text(other)


def test_a_device_that_is_demanded_must_be_there() -> None:
    with pytest.raises(NoDeviceError, match="cuda:3"):
        describe(computer(GPU), "cuda:3")
    with pytest.raises(UsageError, match="toaster"):
        describe(computer(GPU), "toaster")


def test_what_really_ran_corrects_the_tables() -> None:
    tomorrow = Gpu(index=0, kind="cuda", capability=Capability(13, 0), driver="700.1")
    ran = make_report(computer(tomorrow), tomorrow, [result()])
    assert (ran.assessments[0].verdict, ran.exit_code) == ("native", 0)
    problem = "AcceleratorError: CUDA error: no kernel image is available for execution on the device"
    failed = make_report(computer(GPU), GPU, [result("conv1d", ok=False, problem=problem)])
    assert (failed.assessments[0].verdict, failed.exit_code) == ("unsupported", 5)
    assert "conv1d" in failed.assessments[0].reason
    assert failed.assessments[0].remedy


@pytest.mark.parametrize(
    ("machine", "remedy"),
    [
        (computer(GPU, shm_mib=64), "--shm-size"),
        (computer(), "--gpus all"),
        (computer(wsl=True), "in Windows"),
        (computer(GPU, torch=None), "pip install"),
    ],
)
def test_what_is_wrong_is_found_with_the_line_that_mends_it(machine: Machine, remedy: str) -> None:
    report = describe(machine, "auto")
    assert any(remedy in finding.remedy for finding in report.findings)
    assert remedy in text(report)


def test_notes_of_the_probes_and_failed_operations_are_shown() -> None:
    notes = [Finding(problem="NVML did not answer", remedy="see nvidia-smi", severity="warning")]
    shown = text(
        make_report(computer(GPU), GPU, [result(), result("sdpa", ok=False, problem="[red] boom")], None, notes)
    )
    assert "NVML did not answer" in shown
    assert "✗ sdpa float32: [red] boom" in shown
    assert "1 of 2" in shown


def test_flash_attention_says_whether_it_can_be_used() -> None:
    with_flash = Machine(platform="linux", cpus=8, gpus=(GPU,), torch=TORCH, flash_attention="2.8.3")
    assert make_report(with_flash, GPU).to_json()["flash_attention"]["usable"] is None
    assert make_report(with_flash, GPU, [result()], (True, "ran")).to_json()["flash_attention"] == {
        "installed": True,
        "version": "2.8.3",
        "usable": True,
        "reason": "ran",
    }


@pytest.mark.parametrize("wheel", ["2.6.0+cu124", "2.10.0+cu128", "2.15.0+cu132", "2.13.0+cpu"])
@pytest.mark.parametrize("path", MACHINES, ids=lambda path: path.stem)
def test_every_recorded_computer_is_judged_on_every_wheel(path: Path, wheel: str) -> None:
    kernels = {"cu124": "sm_50 sm_90", "cu128": "sm_70 sm_120", "cu132": "sm_80 sm_120"}.get(
        wheel.partition("+")[2], ""
    )
    cuda = {"cu124": "12.4", "cu128": "12.8", "cu132": "13.2"}.get(wheel.partition("+")[2])
    torch = TorchBuild(version=wheel, cuda=cuda, kernels=tuple(kernels.split()))
    report = describe(replace(read_machine(path), torch=torch), "auto")
    for assessment in report.assessments:
        assert assessment.reason
        assert assessment.remedy or assessment.verdict == "native"


def home_findings(home: Path) -> tuple[Finding, ...]:
    (found,) = [need for need in requirements(home) if need.name == "Home"]
    return found.findings


def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home that everybody can read, if they can read its parents."""
    monkeypatch.delenv("VOXMATRIX_IMAGE", raising=False)
    home = tmp_path / "my home"
    home.mkdir()
    home.chmod(0o755)
    for parent in home.parents:
        if parent.stat().st_uid == os.getuid() and parent.is_relative_to(tempfile.gettempdir()):
            parent.chmod(parent.stat().st_mode | 0o001)
    return home


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_a_home_that_others_can_read_is_a_finding_with_the_command_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = opened(tmp_path, monkeypatch)
    (finding,) = home_findings(home)
    assert f"can read {home} (mode 755)" in finding.problem
    subprocess.run(finding.remedy.removeprefix("run: "), shell=True, check=True)
    assert home_findings(home) == ()


def test_a_home_below_a_private_folder_is_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = opened(tmp_path, monkeypatch)
    tmp_path.chmod(0o700)
    assert home_findings(home) == ()


def test_in_an_image_nobody_else_could_read_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = opened(tmp_path, monkeypatch)
    monkeypatch.setenv("VOXMATRIX_IMAGE", "cpu")
    assert home_findings(home) == ()
