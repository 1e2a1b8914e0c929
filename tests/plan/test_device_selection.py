"""Which device, and what is said about those that are not taken."""

from dataclasses import replace

import pytest

from tests.plan.computers import ARC, RTX_3060, T4, assess, gpu, machine
from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, parse_device
from voxmatrix.plan.device_selection import SelectedDevice, Task, best_gpu, requested_gpu, select_device

TOO_NEW = gpu("an invented one", "13.0", 99999, index=1)
TWO = machine(T4, replace(RTX_3060, index=1, uuid="GPU-1"))


def chosen(
    computer: Machine, request: DeviceRequest = AUTO, task: Task = "train", **more: SavedDevice
) -> SelectedDevice:
    return select_device(computer, request, task=task, assess=assess, **more)


def asked(device: str) -> DeviceRequest:
    return parse_device(device, "flag", f"--device {device}")


def test_the_best_gpu_is_taken_and_named_with_its_memory() -> None:
    choice = chosen(TWO)
    assert (choice.device.value, choice.device.source, choice.findings) == ("cuda:1", "automatic", ())
    assert "RTX 3060" in choice.device.reason
    assert "12288 MiB" in choice.device.reason


def test_a_gpu_that_cannot_be_used_is_passed_over_with_its_reason_and_remedy() -> None:
    choice = chosen(machine(T4, TOO_NEW))
    assert choice.device.value == "cuda:0"
    assert "sm_130" in choice.findings[0].problem
    assert choice.findings[0].remedy == "use image future"


def test_only_unusable_gpus_mean_the_cpu_and_say_so() -> None:
    choice = chosen(machine(TOO_NEW))
    assert (choice.device.value, choice.gpu) == ("cpu", None)
    assert "sm_130" in choice.device.reason


def test_no_gpu_means_the_cpu_and_says_so() -> None:
    choice = chosen(machine())
    assert choice.device.value == "cpu"
    assert "--gpus all" in choice.findings[0].remedy


@pytest.mark.parametrize("device", ["cuda:1", "cuda:0", "cpu", "1", "gpu:0"])
def test_a_demand_that_can_be_met_is_met(device: str) -> None:
    choice = chosen(TWO, asked(device))
    assert choice.device.source == "flag"
    assert choice.device.value == {"1": "cuda:1", "gpu:0": "cuda:0"}.get(device, device)


@pytest.mark.parametrize("device", ["cuda:2", "directml:0", "7"])
def test_a_demand_for_what_is_not_there_lists_what_is(device: str) -> None:
    with pytest.raises(NoDeviceError, match=r"cuda:0 \(Tesla T4\).*cuda:1.*cpu"):
        chosen(TWO, asked(device))


def test_a_demand_for_a_gpu_without_kernels_has_its_own_exit_code() -> None:
    with pytest.raises(NoKernelsError) as error:
        chosen(machine(TOO_NEW), asked("cuda:1"))
    assert (error.value.exit_code, error.value.remedy) == (5, "use image future")


def test_a_demand_with_too_old_a_driver_is_no_device() -> None:
    with pytest.raises(NoDeviceError, match="driver"):
        chosen(machine(replace(T4, driver="old")), asked("cuda:0"))


def test_the_seeds_way_warns_and_falls_back_to_the_cpu() -> None:
    choice = chosen(TWO, gpu_or_cpu("yes", 5, "environment"))
    assert (choice.device.value, choice.device.source) == ("cpu", "automatic")
    problem = choice.findings[0].problem
    assert problem.count("USE_GPU=yes") == problem.count("GPU_ID=5") == 1
    assert problem.endswith("; falling back to the CPU")
    assert chosen(TWO, gpu_or_cpu("yes", 1, "environment")).device.value == "cuda:1"
    assert chosen(machine(), gpu_or_cpu("yes", None, "environment")).device.value == "cpu"


def test_without_a_number_the_usable_one_is_taken() -> None:
    assert chosen(machine(replace(TOO_NEW, index=0), replace(T4, index=1)), asked("cuda")).device.value == "cuda:1"


def test_directml_speaks_and_does_not_train() -> None:
    windows = machine(ARC, platform="windows", shm_mib=None)
    assert chosen(windows, asked("directml:0"), "speak").device.value == "directml:0"
    assert chosen(windows, task="speak").device.value == "directml:0"
    with pytest.raises(NoDeviceError, match="complex numbers"):
        chosen(windows, asked("directml:0"))
    choice = chosen(windows)
    assert choice.device.value == "cpu"
    assert "AMP" in choice.device.reason


def test_an_adapters_number_alone_lets_cuda_work() -> None:
    request = DeviceRequest(kind="directml", index=0, source="environment", origin="DIRECTML_DEVICE=0", fallback="auto")
    assert chosen(TWO, request).device.value == "cuda:1"


def test_a_remembered_gpu_is_found_by_its_uuid() -> None:
    choice = chosen(TWO, saved_device=SavedDevice(device="cuda:0", uuid="GPU-1"))
    assert choice.device.value == "cuda:1"
    assert "devices select" in choice.device.reason
    assert chosen(TWO, saved_device=SavedDevice(device="cuda:0")).device.value == "cuda:0"


def test_a_remembered_cpu_works() -> None:
    choice = chosen(TWO, saved_device=SavedDevice(device="cpu"))
    assert (choice.device.value, choice.findings) == ("cpu", ())
    assert "devices select" in choice.device.reason


@pytest.mark.parametrize("gone", [SavedDevice(device="cuda:7"), SavedDevice(device="cuda:7", uuid="GPU-7")])
def test_a_remembered_gpu_that_is_gone_is_said(gone: SavedDevice) -> None:
    choice = chosen(TWO, saved_device=gone)
    assert choice.device.value == "cuda:1"
    assert "cuda:7" in choice.findings[0].problem


def test_a_demand_is_stronger_than_memory() -> None:
    assert chosen(TWO, asked("cuda:0"), saved_device=SavedDevice(device="cuda:1")).device.value == "cuda:0"


def test_a_kind_that_no_image_uses_is_not_used() -> None:
    choice = chosen(machine(gpu("Apple GPU", None, 24576, kind="mps")))
    assert choice.device.value == "cpu"
    assert "mps" in choice.device.reason


@pytest.mark.parametrize("task", ["train", "speak"])
@pytest.mark.parametrize("kind", ["rocm", "xpu"])
def test_gpus_of_amd_and_intel_are_tried_with_a_warning(kind: str, task: Task) -> None:
    choice = chosen(machine(gpu("Radeon or Arc", None, 24576, kind=kind)), task=task)
    assert choice.device.value == f"{kind}:0"
    assert "is not known" in choice.findings[0].problem


def test_a_gpu_that_cannot_be_judged_is_tried_and_said() -> None:
    choice = chosen(machine(gpu("NVIDIA GeForce RTX 3060", None, 12288)))
    assert choice.device.value == "cuda:0"
    assert "is not known" in choice.findings[0].problem
    assert chosen(machine(ARC), task="speak").findings == ()


M40 = gpu("Tesla M40 24GB", "5.2", 24576)
RTX_3090 = gpu("NVIDIA GeForce RTX 3090", "8.6", 24576)
RTX_4090 = gpu("NVIDIA GeForce RTX 4090", "8.9", 24576)
RTX_5060 = gpu("NVIDIA GeForce RTX 5060", "12.0", 8192)
UNKNOWN = gpu("x", None, 99999)


@pytest.mark.parametrize(
    ("better", "other"),
    [
        (RTX_3060, M40),  # tensor cores before memory
        (RTX_3090, RTX_5060),  # memory before capability
        (RTX_4090, RTX_3090),  # capability, where memory is equal
        (RTX_3060, UNKNOWN),
        (M40, ARC),
        (gpu("NVIDIA GB10", "12.1", None, unified=True), RTX_4090),  # it has the computer's memory
    ],
)
def test_the_better_one_is_taken_wherever_it_stands(better: Gpu, other: Gpu) -> None:
    assert best_gpu([better, other], machine()) is better
    assert best_gpu([other, better], machine()) is better


def test_of_two_alike_it_is_the_first_with_more_free_memory() -> None:
    busy, idle, idle_too = (
        gpu("L4", "8.9", 24576, free_mib=free, index=i) for i, free in enumerate((900, 24000, 24000))
    )
    assert best_gpu([busy, idle_too, idle], machine()) is idle


@pytest.mark.parametrize(("text", "found"), [("0", RTX_3060), (ARC.device, ARC), ("gpu", RTX_3060), ("cuda:1", None)])
def test_a_wish_means_the_best_that_fits_it(text: str, found: Gpu | None) -> None:
    here = machine(RTX_3060, ARC)
    assert requested_gpu(here, parse_device(text, "flag", "--device"), lambda gpu: True) == found


def test_where_none_is_fit_the_first_is_meant_to_say_what_is_wrong() -> None:
    assert requested_gpu(machine(RTX_3060, ARC), parse_device(ARC.kind, "flag", "--device"), lambda gpu: False) is ARC


SLICES = tuple(
    gpu(f"A100 MIG {size}", "8.0", memory, index=index, mig=True, uuid=f"MIG-{index}")
    for index, (size, memory) in enumerate([("1g.5gb", 4864), ("3g.20gb", 19968), ("2g.10gb", 9856)])
)


def test_of_mig_slices_the_one_that_cuda_shows_is_used_and_a_larger_one_is_named() -> None:
    """CUDA shows a process one MIG slice, whatever nvidia-smi lists (NVIDIA's MIG user guide)."""
    choice = chosen(machine(*SLICES))
    assert choice.device.value == "cuda:0"
    (found,) = choice.findings
    assert "cuda:1 (A100 MIG 3g.20gb) has more memory" in found.problem
    assert "CUDA_VISIBLE_DEVICES=MIG-1 " in found.remedy
    assert chosen(machine(SLICES[1])).findings == ()  # as with CUDA_VISIBLE_DEVICES


def test_a_demand_for_another_slice_says_how_to_show_it() -> None:
    with pytest.raises(NoDeviceError, match="CUDA shows a process only one: cuda:0") as refused:
        chosen(machine(*SLICES), asked("cuda:2"))
    assert "set CUDA_VISIBLE_DEVICES=MIG-2 " in refused.value.remedy


def test_a_card_in_mig_mode_without_slices_hides_none_of_another() -> None:
    bare = gpu("A100", "8.0", None, mig=True)
    choice = chosen(machine(bare, *SLICES[1:]))
    assert choice.device.value == "cuda:1"
