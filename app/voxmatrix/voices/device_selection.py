"""Select the devices that a voice is spoken on. Nothing is imported or probed before it is needed."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from voxmatrix.errors import Finding, NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, GpuKind, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.models.device import CPU, DeviceSelection, FoundGpu, SpeakDevice
from voxmatrix.piper.engines.provider import INSTALL, served_kinds
from voxmatrix.piper.files import find_voice
from voxmatrix.plan.device_request import DeviceRequest

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import SelectedDevice
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.plan.verdict import Assessment


def select_devices(voice: Path, request: DeviceRequest, preflight: "Preflight | None" = None) -> DeviceSelection:
    """The best device for a voice, and all others of its kind unless a specific one was requested.

    Probes nothing if only the CPU can speak the voice.

    Raises:
        BadInputError: there is no such voice.
        NoDeviceError: the required device is missing, or cannot speak this voice.
        NoKernelsError: the installed torch has no kernels for the required device.
        UsageError: the saved device cannot be read.
    """
    if request.kind == "cpu":
        return DeviceSelection((CPU,))
    kinds = served_kinds() if find_voice(voice).suffix == ".onnx" else None
    if kinds is not None and not kinds:
        return _without_provider(request)
    if preflight is not None:
        return selection(preflight.machine, request, preflight.saved_device, kinds)
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import saved_device

    return selection(detect().machine, request, saved_device(), kinds)


def selection(
    machine: Machine, request: DeviceRequest, saved: SavedDevice | None, kinds: frozenset[GpuKind] | None = None
) -> DeviceSelection:
    """The devices for a checkpoint or, given the `kinds` of GPU that onnxruntime supports, for an ONNX voice. Pure.

    Raises:
        NoDeviceError: the required device is missing, or cannot speak this voice.
        NoKernelsError: the installed torch has no kernels for the required device.
    """
    from voxmatrix.plan.device_selection import select_device
    from voxmatrix.plan.device_support import USED_BY

    if kinds is None:
        selected = select_device(machine, request, task="speak", saved_device=saved)
    else:
        selected = _select_provider(machine, request, saved, kinds)
    # The absence of a usable GPU is reported only if one was requested or saved.
    usable = kinds if kinds is not None else {kind for kind in USED_BY["speak"] if _may_be_meant(kind, machine)}
    is_relevant = request.kind != "auto" or saved is not None or any(gpu.kind in usable for gpu in machine.gpus)
    return DeviceSelection(
        _with_others(selected, machine, request, saved, by_torch=kinds is None),
        selected.findings if is_relevant else (),
    )


def _may_be_meant(kind: str, machine: Machine) -> bool:
    """Whether a GPU of this kind is expected to speak; a CPU torch leaves AMD's and Intel's alone."""
    from voxmatrix.plan.image_advice import OTHER_BUILDS

    return kind not in OTHER_BUILDS or (machine.torch is not None and machine.torch.built_for == kind)


def _with_others(
    selected: "SelectedDevice",
    machine: Machine,
    request: DeviceRequest,
    saved: SavedDevice | None,
    *,
    by_torch: bool,
) -> tuple[SpeakDevice, ...]:
    """The selected GPU and the other usable ones of its kind, unless a specific one was requested."""
    from voxmatrix.plan.device_support import unsupported
    from voxmatrix.plan.verdict import assess

    best = selected.gpu
    if best is None:
        return (CPU,)
    required = request.kind != "auto" and request.fallback == "end"
    specific = request.index is not None or (request.kind == "auto" and saved is not None)
    others = [
        gpu
        for gpu in machine.gpus
        if gpu != best and gpu.kind == best.kind and not (by_torch and unsupported(gpu, machine, assess, "speak"))
    ]
    return tuple(
        SpeakDevice(on=FoundGpu(gpu=gpu, machine=machine), required=required)
        for gpu in (best, *([] if specific else others))
    )


def _select_provider(
    machine: Machine, request: DeviceRequest, saved: SavedDevice | None, kinds: frozenset[GpuKind]
) -> "SelectedDevice":
    from voxmatrix.plan.device_selection import select_device
    from voxmatrix.plan.verdict import assess

    def assess_provider(gpu: Gpu, machine: Machine) -> "Assessment":
        """Whether onnxruntime has a provider for the GPU. Providers have kernels of their own."""
        assessment = assess(gpu, machine)
        if gpu.kind in kinds:
            return replace(assessment, verdict="native", reason="onnxruntime has a provider for it", remedy="")
        return replace(assessment, verdict="unsupported", reason="onnxruntime has no provider for it", remedy=INSTALL)

    try:
        return select_device(machine, request, task="speak", saved_device=saved, assess=assess_provider)
    except NoKernelsError as error:  # raised for any unsupported GPU; the kernels of torch do not matter here
        raise NoDeviceError(error.problem, error.remedy) from error


def _without_provider(request: DeviceRequest) -> DeviceSelection:
    """The CPU, with a warning or an error if another device was requested."""
    if request.kind == "auto":
        return DeviceSelection((CPU,))
    problem = f"{request.origin}: the onnxruntime that is installed supports only the CPU"
    if request.fallback == "end":
        raise NoDeviceError(problem, INSTALL)
    finding = Finding(problem=f"{problem}; falling back to the CPU", remedy=INSTALL, severity="warning")
    return DeviceSelection((CPU,), (finding,))
