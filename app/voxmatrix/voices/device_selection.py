"""Select the devices that a voice is spoken on. Nothing is imported or probed before it is needed."""

from dataclasses import replace
from typing import TYPE_CHECKING

from voxmatrix.errors import Finding, NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import SavedDevice
from voxmatrix.models.card import VoiceCard
from voxmatrix.models.device import CPU, DeviceSelection, FoundGpu, GpuSupport, SpeakDevice
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.voices.families import family_named

if TYPE_CHECKING:
    from voxmatrix.plan.device_selection import SelectedDevice
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.plan.verdict import Assessment


def select_devices(voice: VoiceCard, request: DeviceRequest, preflight: "Preflight | None" = None) -> DeviceSelection:
    """The best device for a voice, and all others of its kind unless a specific one was requested.

    Probes nothing if only the CPU can speak the voice.

    Raises:
        NoDeviceError: the required device is missing, or cannot speak this voice.
        NoKernelsError: the installed torch has no kernels for the required device.
        UsageError: the saved device cannot be read.
    """
    if request.kind == "cpu":
        return DeviceSelection((CPU,))
    support = None if voice.capabilities.uses_torch else family_named(voice.family).gpu_support()
    if support is not None and not support.kinds:
        return _without_gpu(request, support)
    if preflight is not None:
        return selection(preflight.machine, request, preflight.saved_device, support)
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import saved_device

    return selection(detect().machine, request, saved_device(), support)


def selection(
    machine: Machine, request: DeviceRequest, saved: SavedDevice | None, support: GpuSupport | None = None
) -> DeviceSelection:
    """The devices for a voice that torch computes or, given the GPUs that they `support`, for one of others. Pure.

    Raises:
        NoDeviceError: the required device is missing, or cannot speak this voice.
        NoKernelsError: the installed torch has no kernels for the required device.
    """
    from voxmatrix.plan.device_request import is_cpu_allowed
    from voxmatrix.plan.device_selection import USED_BY, select_device
    from voxmatrix.plan.driver_state import lacks_gpu

    if support is None:
        selected = select_device(machine, request, task="speak", saved_device=saved)
    else:
        selected = _select_supported(machine, request, saved, support)
    # The absence of a usable GPU is reported only if one was requested or saved, or if torch is built for one.
    usable = (
        support.kinds if support is not None else {kind for kind in USED_BY["speak"] if _may_be_meant(kind, machine)}
    )
    is_relevant = (
        request.kind != "auto"
        or saved is not None
        or any(gpu.kind in usable for gpu in machine.gpus)
        or (support is None and lacks_gpu(machine) and not is_cpu_allowed(request, saved))
    )
    return DeviceSelection(
        _with_others(selected, machine, request, saved, by_torch=support is None),
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
    from voxmatrix.plan.device_selection import unsupported
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


def _select_supported(
    machine: Machine, request: DeviceRequest, saved: SavedDevice | None, support: GpuSupport
) -> "SelectedDevice":
    from voxmatrix.plan.device_selection import select_device
    from voxmatrix.plan.verdict import assess

    def assess_support(gpu: Gpu, machine: Machine) -> "Assessment":
        """Whether the program that computes the voice supports the GPU. It has kernels of its own."""
        assessment = assess(gpu, machine)
        if gpu.kind in support.kinds:
            return replace(assessment, verdict="native", reason=f"{support.by} has a provider for it", remedy="")
        reason = f"{support.by} has no provider for it"
        return replace(assessment, verdict="unsupported", reason=reason, remedy=support.remedy)

    try:
        return select_device(machine, request, task="speak", saved_device=saved, assess=assess_support)
    except NoKernelsError as error:  # raised for any unsupported GPU; the kernels of torch do not matter here
        raise NoDeviceError(error.problem, error.remedy) from error


def _without_gpu(request: DeviceRequest, support: GpuSupport) -> DeviceSelection:
    """The CPU, with a warning or an error if another device was requested."""
    if request.kind == "auto":
        return DeviceSelection((CPU,))
    problem = f"{request.origin}: the {support.by} that is installed supports only the CPU"
    if request.fallback == "end":
        raise NoDeviceError(problem, support.remedy)
    finding = Finding(problem=f"{problem}; falling back to the CPU", remedy=support.remedy, severity="warning")
    return DeviceSelection((CPU,), (finding,))
