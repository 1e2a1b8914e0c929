"""The described computers of tests/machines, file by file: what each wheel is said to do there, and the plan."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plan.wheels import WHEELS
from voxmatrix.machine.facts import Machine, TorchBuild
from voxmatrix.machine.record import read_machine
from voxmatrix.plan.plan import Overrides, Plan, make_plan
from voxmatrix.plan.verdict import Assessment, assess
from voxmatrix.tables.gpus import architecture

MACHINES = Path(__file__).parent.parent / "machines"


def described(name: str, wheel: str | None = None) -> Machine:
    """The computer of that file, with this wheel instead of its own torch."""
    machine = read_machine(MACHINES / f"{name}.json")
    return machine if wheel is None else replace(machine, torch=WHEELS[wheel])


def assessment(name: str, wheel: str | None = None) -> list[Assessment]:
    machine = described(name, wheel)
    return [assess(gpu, machine) for gpu in machine.gpus]


def planned(name: str, wheel: str | None = None) -> Plan:
    return make_plan(described(name, wheel), "medium", Overrides())


@pytest.mark.parametrize(
    ("name", "wheel", "verdict", "image"),
    [
        ("rtx-5090", "a", "unsupported", "blackwell"),
        ("rtx-5090-cu124", None, "unsupported", "blackwell"),
        ("rtx-5090", "b", "native", ""),
        ("rtx-pro-6000-blackwell", "a", "unsupported", "blackwell"),
        ("rtx-pro-6000-blackwell", "b", "native", ""),
        ("b200", "b", "native", ""),
        ("b300", "b", "native", ""),
        ("gb10-null-memory", "b", "native", ""),
        ("gb10-null-memory", "c-arm", "native", ""),
        ("thor", "b", "unsupported", "cuda13"),
        ("thor", "c-arm", "native", ""),
        ("rtx-6000-ada", "a", "native", ""),
        ("orin", "b", "unsupported", "cuda13"),
        ("orin", "c", "native", ""),
        ("orin", "c-arm", "native", ""),
        ("orin-jetpack6", "c", "driver-too-old", "cpu"),
        ("v100", "a", "native", ""),
        ("v100", "c", "unsupported", "cuda"),
        ("gtx-1080-ti", "a", "native", ""),
        ("gtx-1080-ti", "b", "unsupported", "cuda"),
        ("driver-535", "c", "driver-too-old", "cuda"),
        ("sm-130", "c", "unsupported", "cpu"),
        ("mig-slice", "b", "native", ""),
        ("wsl2", "b", "native", ""),
        ("shm-64", "b", "native", ""),
        ("two-of-64-cpus", "b", "native", ""),
    ],
)
def test_a_wheel_on_a_gpu_has_its_verdict_and_where_it_does_not_run_the_image_that_does(
    name: str, wheel: str | None, verdict: str, image: str
) -> None:
    (found,) = assessment(name, wheel)
    assert found.verdict == verdict
    assert (found.remedy == "") == (image == "")
    if image:
        assert found.image == image
        assert f"image {image}" in found.remedy


def test_an_rtx_6000_ada_is_called_ada_and_is_no_blackwell() -> None:
    (gpu,) = described("rtx-6000-ada").gpus
    assert gpu.capability is not None
    assert str(gpu.capability) == "8.9"
    row = architecture(gpu.capability)
    assert row is not None
    assert row.architecture == "Ada Lovelace"


def test_an_rtx_pro_6000_blackwell_has_the_capability_of_a_5090() -> None:
    assert {described(name).gpus[0].capability for name in ("rtx-pro-6000-blackwell", "rtx-5090")} == {(12, 0)}


@pytest.mark.parametrize(
    ("name", "capability"),
    [("b200", "10.0"), ("b300", "10.3"), ("gb10-null-memory", "12.1"), ("thor", "11.0"), ("orin", "8.7")],
)
def test_a_file_is_of_the_capability_that_its_name_means(name: str, capability: str) -> None:
    assert str(described(name).gpus[0].capability) == capability


@pytest.mark.parametrize(
    ("name", "wheel", "precision", "scaler", "tf32"),
    [
        ("gtx-1080-ti", "a", "fp32", False, False),
        ("gtx-1660", "b", "fp32", False, False),
        ("t4", "b", "fp16", True, False),
        ("v100", "a", "fp16", True, False),
        ("rtx-3050", "b", "bf16", False, True),
        ("rtx-3060", "b", "bf16", False, True),
        ("rtx-6000-ada", "a", "bf16", False, True),
        ("rtx-5090", "b", "bf16", False, True),
        ("gb10-null-memory", "b", "bf16", False, True),
        ("orin", "c", "bf16", False, True),
    ],
)
def test_a_gpu_trains_in_the_format_that_it_has_tensor_cores_for(
    name: str, wheel: str, precision: str, scaler: bool, tf32: bool
) -> None:
    plan = planned(name, wheel)
    assert plan.device.value == "cuda:0"
    assert (plan.precision.value, plan.scaler.value, plan.tf32.value) == (precision, scaler, tf32)
    assert plan.effective_batch.value == 32


def test_an_invented_gpu_is_said_to_be_newer_than_any_image() -> None:
    (found,) = assessment("sm-130", "c")
    assert "newer than any image" in found.reason
    assert "newer voxmatrix" in found.remedy
    assert planned("sm-130", "c").device.value == "cpu"


def test_two_different_gpus_have_one_verdict_each() -> None:
    verdicts = {wheel: [found.verdict for found in assessment("two-different-gpus", wheel)] for wheel in ("a", "b")}
    assert verdicts == {"a": ["unsupported", "native"], "b": ["native", "unsupported"]}
    assert [found.image for found in assessment("two-different-gpus")] == ["blackwell", "cuda"]
    assert [planned("two-different-gpus", wheel).device.value for wheel in ("a", "b")] == ["cuda:1", "cuda:0"]


def test_no_gpu_is_no_verdict_and_a_plan_for_the_cpu() -> None:
    assert assessment("no-gpu") == []
    plan = planned("no-gpu")
    assert (plan.device.value, plan.precision.value, plan.effective_batch.value) == ("cpu", "fp32", 32)
    assert "no GPU was found" in plan.device.reason


def test_a_mig_slice_is_planned_with_its_own_memory() -> None:
    plan = planned("mig-slice", "b")
    assert "9428 MiB" in plan.batch_size.reason
    assert plan.batch_size.value <= planned("a100-80", "b").batch_size.value


OTHERS = {"rocm": TorchBuild(version="2.11.0+rocm7.2", hip="7.2.1", kernels=("gfx942", "gfx1100"))}
OTHERS |= {"xpu": TorchBuild(version="2.11.0+xpu", xpu="20250302", kernels=("pvc", "dg2", "bmg", "lnl-m"))}


@pytest.mark.parametrize(
    ("name", "said", "image"),
    [
        ("amd", "AMD", "rocm"),
        ("amd-mi300x", "AMD", "rocm"),
        ("amd-rx-580", "AMD", "cpu"),
        ("intel", "Intel", "xpu"),
        ("intel-core-ultra-258v", "Intel", "xpu"),
        ("intel-uhd-770", "Intel", "cpu"),
    ],
)
def test_gpus_of_others_get_the_image_to_build_and_the_cpu_trains_until_then(name: str, said: str, image: str) -> None:
    (found,) = assessment(name)
    assert (found.verdict, found.image) == ("unsupported", image)
    assert said in found.reason
    assert ("./run build-" + image in found.remedy) is (image != "cpu")
    plan = planned(name)
    assert (plan.device.value, plan.precision.value) == ("cpu", "fp32")


@pytest.mark.parametrize(
    ("name", "verdict", "device"),
    [
        ("amd", "native", "rocm:0"),
        ("amd-mi300x", "native", "rocm:0"),
        ("amd-rx-580", "unsupported", "cpu"),
        ("intel", "native", "xpu:0"),
        ("intel-core-ultra-258v", "native", "xpu:0"),
        ("intel-uhd-770", "unsupported", "cpu"),
    ],
)
def test_in_their_image_they_train_in_fp32_and_it_is_said_that_nobody_tried(
    name: str, verdict: str | None, device: str
) -> None:
    machine = described(name)
    machine = replace(machine, torch=OTHERS[machine.gpus[0].kind])
    found = assess(machine.gpus[0], machine)
    assert found.verdict == verdict
    plan = make_plan(machine, "medium", Overrides())
    assert (plan.device.value, plan.precision.value, plan.allocator.value) == (device, "fp32", "")
    if device != "cpu":
        assert any("never been run on such a GPU" in finding.problem for finding in plan.findings)


def test_wsl2_is_judged_by_the_driver_of_its_windows_and_has_no_expandable_segments() -> None:
    machine = described("wsl2", "b")
    assert machine.wsl
    (gpu,) = machine.gpus
    old = replace(machine, gpus=(replace(gpu, driver="526.00"),))  # enough for CUDA 12 on Linux, not on Windows
    assert assess(old.gpus[0], old).verdict == "driver-too-old"
    assert planned("wsl2", "b").allocator.value == ""


def test_windows_with_directml_speaks_on_its_gpus_and_trains_on_the_cpu() -> None:
    machine = described("windows-directml")
    found = assessment("windows-directml")
    assert [each.verdict for each in found] == [None, None]
    assert {each.image for each in found} == {"directml-windows"}
    assert make_plan(machine, "medium", Overrides()).device.value == "cpu"
    assert make_plan(machine, "medium", Overrides(), task="speak").device.value.startswith("directml:")


def test_windows_on_arm_is_sent_to_wsl_and_not_to_an_image_that_it_cannot_run() -> None:
    (found,) = assessment("windows-arm")
    assert found.image == "cpu"
    assert found.remedy == "use the image cpu, in WSL2: torch-directml does not exist for aarch64"
    machine = described("windows-arm")
    unknown = replace(machine, architecture=None)
    assert assess(unknown.gpus[0], unknown).image == "directml-windows"


def test_a_gb10_whose_driver_gives_no_memory_takes_half_of_the_computers() -> None:
    machine = described("gb10-null-memory", "c-arm")
    assert machine.gpus[0].memory_mib is None
    plan = make_plan(machine, "medium", Overrides())
    assert plan.device.value == "cuda:0"
    assert f"50% of {machine.available_mib} MiB" in plan.batch_size.reason
    assert "shares" in plan.batch_size.reason


def test_two_cpus_of_64_are_planned_as_two() -> None:
    machine = described("two-of-64-cpus", "b")
    assert machine.cpus == 2
    plan = make_plan(machine, "medium", Overrides())
    assert (plan.workers.value, plan.prepare_workers.value) == (1, 2)


def test_64_mb_of_shared_memory_hold_fewer_workers_and_the_reason_names_the_mend() -> None:
    plan = planned("shm-64", "b")
    assert plan.workers.value < planned("rtx-3090", "b").workers.value
    assert "64 MiB" in plan.workers.reason
    assert "--shm-size" in plan.workers.reason


@pytest.mark.parametrize("name", ["gb10-null-memory", "thor", "orin", "gh200", "gb200"])
def test_on_aarch64_only_the_image_with_a_build_for_it_is_advised(name: str) -> None:
    """Wheels for aarch64 have CUDA from torch 2.11 on: kernels for 8.0, 9.0, 10.0, 11.0 and 12.0."""
    machine = described(name, "c-arm")
    assert machine.architecture == "aarch64"
    current = replace(machine, gpus=tuple(replace(gpu, driver="595.58.03") for gpu in machine.gpus))
    assert {assess(gpu, current).image for gpu in current.gpus} == {"cuda13"}
    old = replace(machine, gpus=tuple(replace(gpu, driver="570.26") for gpu in machine.gpus))
    assert {assess(gpu, old).image for gpu in old.gpus} == {"cpu"}
    mend = {"thor": "install JetPack 7 or newer", "orin": "install JetPack 7.2 or newer"}.get(name, "NVIDIA driver 580")
    assert all(mend in assess(gpu, old).remedy for gpu in old.gpus)
