"""Which device speaks: the best that the voice's library can use, the required one, or the CPU with the reason."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.models.gpus import ARC, CPU_TORCH, OLD, RADEON, T4, computer
from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.inference import provider
from voxmatrix.inference.provider import INSTALL
from voxmatrix.machine import detect
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.probes import torch_build
from voxmatrix.machine.saved_device import SavedDevice, save_device
from voxmatrix.models.card import Capabilities, VoiceCard
from voxmatrix.models.device import CPU, GpuSupport, SpeakDevice
from voxmatrix.piper.family import PiperFamily
from voxmatrix.plan.device_request import AUTO, DeviceRequest, gpu_or_cpu, parse_device
from voxmatrix.voices.device_selection import select_devices, selection


def asked(text: str) -> DeviceRequest:
    return parse_device(text, "flag", f"--device {text}")


def gpu_of(device: SpeakDevice) -> Gpu | None:
    return device.on and device.on.gpu


def test_a_checkpoint_speaks_on_the_best_gpu_that_torch_can_use() -> None:
    devices, findings = selection(computer(OLD, T4), AUTO, None)

    assert gpu_of(devices[0]) == T4 and not devices[0].required
    assert ["GTX 750" in finding.problem for finding in findings] == [True]


@pytest.mark.parametrize("machine", [computer(), computer(ARC)], ids=["no GPU", "a GPU that nothing here uses"])
def test_a_computer_without_a_gpu_to_speak_on_is_not_told_so(machine: Machine) -> None:
    assert selection(machine, AUTO, None) == ((CPU,), ())


def test_an_image_for_gpus_without_one_is_told_so_unless_the_cpu_was_allowed() -> None:
    image = replace(computer(), image="blackwell")
    for machine, problem in (
        (image, "no GPU was found"),
        (replace(image, driver_error="nvml 999"), "daemon-reload"),
        (replace(image, hidden_gpus=1, visible_devices="7"), "CUDA_VISIBLE_DEVICES=7"),
    ):
        devices, (finding,) = selection(machine, AUTO, None)
        assert devices == (CPU,)
        assert problem in finding.problem
        assert selection(machine, gpu_or_cpu("auto", None, "environment"), None) == ((CPU,), ())


def test_a_gpu_that_this_torch_cannot_use_is_told_with_the_reason() -> None:
    devices, findings = selection(computer(T4, torch=CPU_TORCH), AUTO, None)

    assert devices == (CPU,) and "without CUDA" in findings[0].problem and findings[0].remedy


def test_directml_speaks() -> None:
    assert gpu_of(selection(computer(RADEON, torch=CPU_TORCH), AUTO, None).best) == RADEON


def test_what_is_remembered_is_used_and_missed_when_it_is_gone() -> None:
    both = computer(Gpu(index=0, kind="cuda", name="A10", uuid="GPU-a", capability=T4.capability), T4)

    here = selection(both, AUTO, SavedDevice(device="cuda:0", uuid="GPU-a"))
    gone = selection(computer(), AUTO, SavedDevice(device="cuda:0", uuid="GPU-a"))
    cpu = selection(both, AUTO, SavedDevice(device="cpu"))

    assert gpu_of(here.best) == both.gpus[0] and not here.best.required
    assert gone.best == CPU and "no longer present" in gone.findings[0].problem
    assert cpu == ((CPU,), ())


def test_a_demand_is_met_or_refused() -> None:
    machine = computer(OLD, T4)

    met = selection(machine, asked("cuda:1"), None)

    assert gpu_of(met.best) == T4 and met.best.required
    with pytest.raises(NoKernelsError, match="GTX 750"):
        selection(machine, asked("cuda:0"), None)
    with pytest.raises(NoDeviceError, match="no such GPU"):
        selection(machine, asked("directml:0"), None)


def test_use_gpu_is_a_wish_and_falls_back_with_a_warning() -> None:
    request = gpu_or_cpu("yes", None, "flag", "--use-gpu")

    missing, there = (selection(machine, request, None) for machine in (computer(), computer(T4)))

    assert missing.best == CPU and missing.findings
    assert gpu_of(there.best) == T4 and not there.best.required


CUDA, DIRECTML = (GpuSupport(frozenset({kind}), "onnxruntime", INSTALL) for kind in ("cuda", "directml"))


def test_an_onnx_voice_speaks_where_onnxruntime_has_a_provider_whatever_torch_is_there() -> None:
    machine = computer(OLD, RADEON, torch=CPU_TORCH)

    assert gpu_of(selection(machine, AUTO, None, CUDA).best) == OLD
    assert gpu_of(selection(machine, AUTO, None, DIRECTML).best) == RADEON


def test_an_onnx_voice_on_a_computer_without_a_gpu_for_it_speaks_on_the_cpu_without_a_word() -> None:
    assert selection(computer(), AUTO, None, CUDA) == ((CPU,), ())
    assert selection(computer(RADEON), AUTO, None, CUDA) == ((CPU,), ())


#: What computes Piper's exported voices where torch is built for CUDA.
TORCH = GpuSupport(frozenset(), "onnxruntime", "see doctor", by_torch=True)


def test_an_exported_voice_speaks_on_the_gpus_that_torch_has_kernels_for() -> None:
    machine = computer(OLD, T4, RADEON)

    assert selection(machine, AUTO, None, TORCH).devices == selection(machine, AUTO, None).devices
    assert gpu_of(selection(machine, asked("cuda:1"), None, TORCH).best) == T4
    with pytest.raises(NoDeviceError, match="GTX 750") as caught:
        selection(machine, asked("cuda:0"), None, TORCH)
    assert caught.value.exit_code == 4
    with pytest.raises(NoDeviceError, match="onnxruntime has no provider"):
        selection(machine, asked("directml:0"), None, TORCH)


@pytest.mark.parametrize("machine", [computer(), computer(RADEON), computer(ARC)])
def test_an_exported_voice_says_nothing_of_gpus_that_torch_is_not_built_for(machine: Machine) -> None:
    assert selection(machine, AUTO, None, TORCH) == ((CPU,), ())


def test_onnxruntime_computes_where_torch_cannot() -> None:
    both = TORCH._replace(kinds=frozenset({"cuda", "directml"}))

    assert gpu_of(selection(computer(OLD), AUTO, None, both).best) == OLD
    assert gpu_of(selection(computer(RADEON), AUTO, None, both).best) == RADEON
    torch, provider = (selection(computer(gpu), AUTO, None, both).best for gpu in (T4, OLD))
    assert torch.in_batches and not provider.in_batches


def test_a_demand_that_onnxruntime_cannot_meet_is_no_device_and_says_what_to_do() -> None:
    with pytest.raises(NoDeviceError, match="onnxruntime has no provider") as caught:
        selection(computer(T4, RADEON), asked("directml:0"), None, CUDA)

    assert caught.value.exit_code == 4 and "checkpoint" in caught.value.remedy


def test_many_texts_are_dealt_out_to_all_gpus_of_the_kind_that_can_speak_unless_one_was_named() -> None:
    second = replace(T4, index=2, uuid="GPU-t4-b")
    machine = computer(OLD, T4, second, RADEON)

    def shared(
        request: DeviceRequest, saved: SavedDevice | None = None, support: GpuSupport | None = None
    ) -> list[Gpu | None]:
        return [gpu_of(each) for each in selection(machine, request, saved, support).devices]

    assert shared(AUTO) == [T4, second]  # torch has no kernels for the old one
    assert shared(AUTO, support=CUDA) == [T4, OLD, second]  # a provider has its own
    assert shared(asked("cuda")) == [T4, second]
    assert shared(asked("cuda:2")) == [second]
    assert shared(AUTO, SavedDevice(device="cuda:1", uuid="GPU-t4")) == [T4]
    assert shared(asked("cpu")) == [None]


# On this computer: nothing is probed for a voice that the CPU speaks in any case.


def card(path: Path, *, uses_torch: bool) -> VoiceCard:
    able = Capabilities(uses_torch=uses_torch)
    return VoiceCard(id="a", family="piper", files=(path,), rate_hz=16000, languages=("en",), capabilities=able)


@pytest.fixture
def onnx(tmp_path: Path) -> VoiceCard:
    return card(tmp_path / "a.onnx", uses_torch=False)


@pytest.fixture
def checkpoint(tmp_path: Path) -> VoiceCard:
    return card(tmp_path / "last.ckpt", uses_torch=True)


def providers(monkeypatch: pytest.MonkeyPatch, *kinds: str) -> None:
    """The GPUs of the installed onnxruntime, beside a torch for CPUs, whichever is installed here."""
    monkeypatch.setattr(provider, "served_kinds", lambda: frozenset(kinds))
    monkeypatch.setattr(torch_build, "read_torch_build", lambda path: CPU_TORCH)


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
    onnx: VoiceCard, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    providers(monkeypatch)
    assert select_devices(onnx, AUTO) == ((CPU,), ()) and not found


def test_no_gpu_is_looked_for_when_the_cpu_was_asked_for(checkpoint: VoiceCard, found: list[str]) -> None:
    assert select_devices(checkpoint, parse_device("cpu", "flag", "--device cpu")) == ((CPU,), ()) and not found


@pytest.mark.parametrize("text", ["cuda:1", "cuda", "directml:0", "1", "gpu", "xpu"])
def test_a_demand_on_an_onnx_voice_that_nothing_here_serves_is_exit_4_with_what_to_do(
    onnx: VoiceCard, found: list[str], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    providers(monkeypatch)

    with pytest.raises(NoDeviceError, match=f"--device {text}: the onnxruntime") as caught:
        select_devices(onnx, parse_device(text, "flag", f"--device {text}"))

    assert caught.value.exit_code == 4 and not found
    assert "voxmatrix doctor" in caught.value.remedy and "onnxruntime-directml" in caught.value.remedy


def test_a_few_sentences_are_spoken_before_a_gpu_would_have_started(
    onnx: VoiceCard, checkpoint: VoiceCard, found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PiperFamily, "gpu_support", lambda self: TORCH)

    assert select_devices(onnx, AUTO, brief=True) == ((CPU,), ()) and not found
    assert gpu_of(select_devices(onnx, AUTO).best) == T4
    assert gpu_of(select_devices(onnx, asked("cuda:1"), brief=True).best) == T4
    assert gpu_of(select_devices(checkpoint, AUTO, brief=True).best) == T4
    save_device(SavedDevice(device="cuda:1", uuid="GPU-t4"))
    assert gpu_of(select_devices(onnx, AUTO, brief=True).best) == T4


def test_no_gpu_is_looked_for_where_a_voice_is_computed_on_the_cpu_only(onnx: VoiceCard, found: list[str]) -> None:
    student = replace(onnx, capabilities=Capabilities(on_gpu=False))

    assert select_devices(student, AUTO) == ((CPU,), ()) and not found
    with pytest.raises(NoDeviceError, match="--device cuda: the voice a is computed on the CPU only"):
        select_devices(student, asked("cuda"))


def test_a_wish_on_such_a_voice_is_a_warning(onnx: VoiceCard, monkeypatch: pytest.MonkeyPatch) -> None:
    providers(monkeypatch)

    devices, findings = select_devices(onnx, gpu_or_cpu("yes", None, "flag", "--use-gpu"))

    assert devices == (CPU,) and findings[0].severity == "warning" and findings[0].remedy


def test_a_provider_finds_its_gpu(onnx: VoiceCard, found: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    providers(monkeypatch, "cuda")
    device = select_devices(onnx, AUTO).best
    assert device.on is not None and device.on.gpu == T4 and found == ["probed"]


def test_a_checkpoint_finds_its_gpu_and_what_is_remembered_is_read(checkpoint: VoiceCard, found: list[str]) -> None:
    best = select_devices(checkpoint, AUTO).best
    save_device(SavedDevice(device="directml:0"))
    saved_device = select_devices(checkpoint, AUTO).best

    assert best.on and best.on.gpu == T4
    assert saved_device.on and saved_device.on.gpu == RADEON
