"""The device of a command on described computers: what ends it at once, what is said, what goes on."""

from dataclasses import replace
from pathlib import Path

import pytest

from voxmatrix.doctor.smoke import OperationResult, SmokeResult
from voxmatrix.errors import Finding, MissingProgramError, NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.record import read_machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, parse_device
from voxmatrix.plan.device_selection import Task
from voxmatrix.plan.preflight import Preflight
from voxmatrix_entrypoint.device import findings_before, try_on

MACHINES = Path(__file__).parents[1] / "machines"
GOOD = replace(read_machine(MACHINES / "h100.json"), image="blackwell", container=True)
#: An RTX 5090 and a torch without kernels for it.
WRONG = replace(read_machine(MACHINES / "rtx-5090-cu124.json"), image="cuda", container=True)
OLD_DRIVER = replace(read_machine(MACHINES / "blackwell-driver-550.json"), image="blackwell")
NO_GPU = replace(WRONG, gpus=())
CPU_IMAGE = replace(read_machine(MACHINES / "gpu-with-cpu-torch.json"), image="cpu")


def check_device(
    machine: Machine, request: DeviceRequest, task: Task, saved: SavedDevice | None
) -> tuple[Gpu | None, tuple[Finding, ...]]:
    found = Preflight.on(machine, request, task, saved_device=saved)
    return found.selected.gpu, findings_before(found, request, task)


def named(device: str) -> DeviceRequest:
    return parse_device(device, "flag", f"--device {device}")


@pytest.mark.parametrize("task", ["train", "speak"])
@pytest.mark.parametrize("wanted", [AUTO, named("cuda:0")])
def test_a_gpu_that_can_work_works_and_nothing_is_said(wanted: DeviceRequest, task: Task) -> None:
    assert check_device(GOOD, wanted, task, None) == (GOOD.gpus[0], ())


@pytest.mark.parametrize("task", ["train", "speak"])
@pytest.mark.parametrize("wanted", [AUTO, named("cuda:0")])
def test_the_wrong_image_ends_with_the_right_one(wanted: DeviceRequest, task: Task) -> None:
    with pytest.raises(NoKernelsError) as refused:
        check_device(WRONG, wanted, task, None)
    assert "sm_120" in refused.value.problem
    assert "use the image blackwell" in refused.value.remedy
    assert ("--device cpu" in refused.value.remedy) is (wanted is AUTO)


def test_a_driver_that_is_too_old_for_the_image_is_exit_4() -> None:
    with pytest.raises(NoDeviceError, match=r"550\.54"):
        check_device(OLD_DRIVER, AUTO, "train", None)


def test_outside_an_image_auto_goes_on_with_the_cpu() -> None:
    assert check_device(replace(WRONG, image=None), AUTO, "train", None) == (None, ())


def test_an_image_for_gpus_without_one_does_not_train_and_speaks_with_a_warning() -> None:
    with pytest.raises(NoDeviceError, match="there is no GPU") as refused:
        check_device(NO_GPU, AUTO, "train", None)
    assert refused.value.remedy.startswith("start the container with --gpus all (Podman: --device nvidia.com/gpu=all; ")
    assert refused.value.remedy.endswith("; or set --device cpu to train on the CPU")
    assert check_device(NO_GPU, AUTO, "speak", None) == (None, ())  # voices.device_selection warns


def test_a_gpu_for_another_torch_is_none() -> None:
    """A container sees the computer's Intel graphics, also without --gpus all."""
    graphics = replace(NO_GPU, gpus=(Gpu(index=0, kind="xpu", name="UHD Graphics"),))
    with pytest.raises(NoDeviceError, match="there is no GPU for it"):
        check_device(graphics, AUTO, "train", None)


def test_a_gpu_of_which_the_number_is_wrong_is_not_replaced_by_the_cpu() -> None:
    wanted = gpu_or_cpu("yes", 7, "environment")
    with pytest.raises(NoDeviceError, match=r"GPU_ID=7: no such GPU; available: cuda:0"):
        check_device(GOOD, wanted, "train", None)
    assert check_device(GOOD, wanted, "speak", None) == (None, ())  # the plan warns
    assert check_device(replace(GOOD, image=None), wanted, "train", None) == (None, ())


def test_a_driver_that_fails_is_named_and_never_an_absent_gpu() -> None:
    failing = replace(NO_GPU, driver_error="nvml 18")
    for wanted in (AUTO, named("cuda:0"), gpu_or_cpu("yes", None, "environment")):
        with pytest.raises(NoDeviceError, match="different versions") as refused:
            check_device(failing, wanted, "train", None)
        assert "restart the host" in refused.value.remedy
        assert "no GPU" not in refused.value.problem


def test_a_gpu_that_was_demanded_and_is_not_there_is_exit_4() -> None:
    with pytest.raises(NoDeviceError, match="cuda:0"):
        check_device(NO_GPU, named("cuda:0"), "train", None)


def test_the_image_for_the_cpu_leaves_a_gpu_alone() -> None:
    assert check_device(CPU_IMAGE, AUTO, "train", None) == (None, ())


@pytest.mark.parametrize("machine", [WRONG, NO_GPU])
def test_the_cpu_on_purpose_is_not_questioned(machine: Machine) -> None:
    assert check_device(machine, named("cpu"), "train", None) == (None, ())
    assert check_device(machine, AUTO, "train", SavedDevice(device="cpu")) == (None, ())
    for word in ("no", "auto"):
        assert check_device(machine, gpu_or_cpu(word, None, "environment"), "train", None) == (None, ())


def test_little_shared_memory_is_said_before_a_training() -> None:
    small = replace(GOOD, shm_mib=64)
    (finding,) = check_device(small, AUTO, "train", None)[1]
    assert "--shm-size" in finding.remedy
    assert check_device(small, AUTO, "speak", None)[1] == ()


def smoke(ok: bool, op: str = "conv1d", problem: str = "") -> SmokeResult:
    row = OperationResult(gpu=0, op=op, dtype="float32", ok=ok, max_abs_error=0.0, milliseconds=1.0, problem=problem)
    return SmokeResult(results=(row,))


def test_a_smoke_test_that_passes_lets_the_training_begin() -> None:
    try_on(GOOD, GOOD.gpus[0], lambda machine, gpu: smoke(True))


def test_one_that_fails_ends_it_and_names_the_operation() -> None:
    with pytest.raises(NoKernelsError, match="conv1d"):
        try_on(GOOD, GOOD.gpus[0], lambda machine, gpu: smoke(False, problem="the result differs from the CPU's"))


def test_a_gpu_on_which_cuda_does_not_start_is_no_device() -> None:
    with pytest.raises(NoDeviceError, match="NVLink switches") as refused:
        try_on(GOOD, GOOD.gpus[0], lambda machine, gpu: smoke(False, "start CUDA", "cuda 802"))
    assert "nvidia-fabricmanager" in refused.value.remedy
    with pytest.raises(NoDeviceError, match="its process was killed"):
        try_on(GOOD, GOOD.gpus[0], lambda machine, gpu: smoke(False, "start CUDA", "its process was killed"))


def test_a_torch_that_cannot_be_imported_is_something_missing() -> None:
    with pytest.raises(MissingProgramError, match="libc10"):
        try_on(GOOD, GOOD.gpus[0], lambda machine, gpu: smoke(False, "import torch", "libc10.so: cannot open"))
