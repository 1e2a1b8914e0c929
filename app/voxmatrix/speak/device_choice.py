"""The device that a voice speaks on, of those that are there and that its file can use. Pure."""

from dataclasses import replace

from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, GpuKind, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_selection import SelectedDevice, select_device
from voxmatrix.plan.device_support import USED_BY, unsupported
from voxmatrix.plan.verdict import Assessment, assess
from voxmatrix.speak.device import CPU, DeviceSelection, FoundGpu, SpeakDevice
from voxmatrix.speak.engines.provider import INSTALL


def choose_to_speak(
    machine: Machine, request: DeviceRequest, saved: SavedDevice | None, kinds: frozenset[GpuKind] | None = None
) -> DeviceSelection:
    """The device for a checkpoint; for an ONNX voice when onnxruntime has providers for `kinds` of GPU. Pure.

    Raises:
        NoDeviceError: the device was demanded and is not there, or this voice cannot be spoken on it.
        NoKernelsError: it is there, and this torch has no kernels for it.
    """
    if kinds is None:
        choice = select_device(machine, request, task="speak", saved_device=saved)
    else:
        choice = _choose_provider(machine, request, saved, kinds)
    # Nobody is told that a computer without a GPU to speak on has none, unless he asked for one.
    usable = USED_BY["speak"] if kinds is None else kinds
    worth_telling = request.kind != "auto" or saved is not None or any(each.kind in usable for each in machine.gpus)
    return DeviceSelection(_device(choice, machine, request), choice.findings if worth_telling else ())


def all_like(
    chosen: SpeakDevice, request: DeviceRequest, saved: SavedDevice | None, *, by_torch: bool
) -> tuple[SpeakDevice, ...]:
    """For many texts: the chosen GPU and all others of its kind that can be used, unless one was named. Pure."""
    on = chosen.on
    if on is None or request.index is not None or (request.kind == "auto" and saved is not None):
        return (chosen,)
    others = [
        gpu
        for gpu in on.machine.gpus
        if gpu != on.gpu
        and gpu.kind == on.gpu.kind
        and not (by_torch and unsupported(gpu, on.machine, assess, "speak"))
    ]
    return (chosen, *(replace(chosen, on=replace(on, gpu=gpu)) for gpu in others))


def _device(choice: SelectedDevice, machine: Machine, request: DeviceRequest) -> SpeakDevice:
    if choice.gpu is None:
        return CPU
    demanded = request.kind != "auto" and request.fallback == "end"
    return SpeakDevice(on=FoundGpu(gpu=choice.gpu, machine=machine), demanded=demanded)


def _choose_provider(
    machine: Machine, request: DeviceRequest, saved: SavedDevice | None, kinds: frozenset[GpuKind]
) -> SelectedDevice:
    def judge_provider(gpu: Gpu, machine: Machine) -> Assessment:
        """Providers bring kernels of their own: what torch has does not matter."""
        assessment = assess(gpu, machine)
        if gpu.kind in kinds:
            return replace(assessment, verdict="native", reason="onnxruntime has a provider for it", remedy="")
        return replace(assessment, verdict="unsupported", reason="onnxruntime has no provider for it", remedy=INSTALL)

    try:
        return select_device(machine, request, task="speak", saved_device=saved, assess=judge_provider)
    except NoKernelsError as error:  # its word for what is unsupported; torch's kernels have no part in it
        raise NoDeviceError(error.problem, error.remedy) from error
