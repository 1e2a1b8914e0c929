"""Which device speaks: the best that the voice's library can use, the demanded one, or the CPU with the reason."""

from dataclasses import replace

import pytest

from tests.speak.gpus import ARC, CPU_TORCH, OLD, RADEON, T4, computer
from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, parse_device
from voxmatrix.speak.device import CPU, SpeakDevice
from voxmatrix.speak.device_choice import all_like, choose_to_speak


def asked(text: str) -> DeviceRequest:
    return parse_device(text, "flag", f"--device {text}")


def gpu_of(device: SpeakDevice) -> Gpu | None:
    return device.on and device.on.gpu


def test_a_checkpoint_speaks_on_the_best_gpu_that_torch_can_use() -> None:
    device, findings = choose_to_speak(computer(OLD, T4), AUTO, None)

    assert gpu_of(device) == T4 and not device.demanded
    assert ["GTX 750" in finding.problem for finding in findings] == [True]


@pytest.mark.parametrize("machine", [computer(), computer(ARC)], ids=["no GPU", "a GPU that nothing here uses"])
def test_a_computer_without_a_gpu_to_speak_on_is_not_told_so(machine: Machine) -> None:
    assert choose_to_speak(machine, AUTO, None) == (CPU, ())


def test_a_gpu_that_this_torch_cannot_use_is_told_with_the_reason() -> None:
    device, findings = choose_to_speak(computer(T4, torch=CPU_TORCH), AUTO, None)

    assert device == CPU and "without CUDA" in findings[0].problem and findings[0].remedy


def test_directml_speaks() -> None:
    assert gpu_of(choose_to_speak(computer(RADEON, torch=CPU_TORCH), AUTO, None).device) == RADEON


def test_what_is_remembered_is_used_and_missed_when_it_is_gone() -> None:
    both = computer(Gpu(index=0, kind="cuda", name="A10", uuid="GPU-a", capability=T4.capability), T4)

    here = choose_to_speak(both, AUTO, SavedDevice(device="cuda:0", uuid="GPU-a"))
    gone = choose_to_speak(computer(), AUTO, SavedDevice(device="cuda:0", uuid="GPU-a"))
    cpu = choose_to_speak(both, AUTO, SavedDevice(device="cpu"))

    assert gpu_of(here.device) == both.gpus[0] and not here.device.demanded
    assert gone.device == CPU and "not here any more" in gone.findings[0].problem
    assert cpu == (CPU, ())


def test_a_demand_is_met_or_refused() -> None:
    machine = computer(OLD, T4)

    met = choose_to_speak(machine, asked("cuda:1"), None)

    assert gpu_of(met.device) == T4 and met.device.demanded
    with pytest.raises(NoKernelsError, match="GTX 750"):
        choose_to_speak(machine, asked("cuda:0"), None)
    with pytest.raises(NoDeviceError, match="not there"):
        choose_to_speak(machine, asked("directml:0"), None)


def test_use_gpu_is_a_wish_and_falls_back_with_a_warning() -> None:
    request = gpu_or_cpu("yes", None, "flag", "--use-gpu")

    missing, there = (choose_to_speak(machine, request, None) for machine in (computer(), computer(T4)))

    assert missing.device == CPU and missing.findings
    assert gpu_of(there.device) == T4 and not there.device.demanded


CUDA, DIRECTML = frozenset({"cuda"}), frozenset({"directml"})


def test_an_onnx_voice_speaks_where_onnxruntime_has_a_provider_whatever_torch_is_there() -> None:
    machine = computer(OLD, RADEON, torch=CPU_TORCH)

    assert gpu_of(choose_to_speak(machine, AUTO, None, CUDA).device) == OLD
    assert gpu_of(choose_to_speak(machine, AUTO, None, DIRECTML).device) == RADEON


def test_an_onnx_voice_on_a_computer_without_a_gpu_for_it_speaks_on_the_cpu_without_a_word() -> None:
    assert choose_to_speak(computer(), AUTO, None, CUDA) == (CPU, ())
    assert choose_to_speak(computer(RADEON), AUTO, None, CUDA) == (CPU, ())


def test_a_demand_that_onnxruntime_cannot_meet_is_no_device_and_says_what_to_do() -> None:
    with pytest.raises(NoDeviceError, match="onnxruntime has no provider") as caught:
        choose_to_speak(computer(T4, RADEON), asked("directml:0"), None, CUDA)

    assert caught.value.exit_code == 4 and "checkpoint" in caught.value.remedy


def test_many_texts_are_dealt_out_to_all_gpus_of_the_kind_that_can_speak_unless_one_was_named() -> None:
    second = replace(T4, index=2, uuid="GPU-t4-b")
    machine = computer(OLD, T4, second, RADEON)

    def shared(request: DeviceRequest, saved: SavedDevice | None = None, *, by_torch: bool = True) -> list[Gpu | None]:
        device = choose_to_speak(machine, request, saved).device
        return [gpu_of(each) for each in all_like(device, request, saved, by_torch=by_torch)]

    assert shared(AUTO) == [T4, second]  # torch has no kernels for the old one
    assert shared(AUTO, by_torch=False) == [T4, OLD, second]  # a provider has its own
    assert shared(asked("cuda")) == [T4, second]
    assert shared(asked("cuda:2")) == [second]
    assert shared(AUTO, SavedDevice(device="cuda:1", uuid="GPU-t4")) == [T4]
    assert shared(asked("cpu")) == [None]
