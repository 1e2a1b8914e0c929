"""Select the devices that a voice is spoken on. Nothing is imported or probed before it is needed."""

from dataclasses import replace
from typing import TYPE_CHECKING

from voxmatrix.errors import Finding, NoDeviceError, NoKernelsError
from voxmatrix.models.device import CPU, DeviceSelection, FoundGpu, GpuSupport, SpeakDevice
from voxmatrix.voices.families import family_named

if TYPE_CHECKING:
    from voxmatrix.machine.facts import Gpu, Machine
    from voxmatrix.machine.saved_device import SavedDevice
    from voxmatrix.models.card import VoiceCard
    from voxmatrix.plan.device_request import DeviceRequest
    from voxmatrix.plan.device_selection import Assess, SelectedDevice
    from voxmatrix.plan.preflight import Preflight
    from voxmatrix.plan.verdict import Assessment


def select_devices(
    voice: "VoiceCard", request: "DeviceRequest", preflight: "Preflight | None" = None, *, brief: bool = False
) -> DeviceSelection:
    """The best device for a voice, and all others of its kind unless a specific one was requested.

    Probes nothing if only the CPU can speak the voice. With `brief`, there are a few sentences: torch would take longer
    to start on a GPU than onnxruntime takes to speak them on the CPU.

    Raises:
        NoDeviceError: the device is missing, or cannot speak this voice.
        NoKernelsError: the installed torch has no kernels for the required device.
        UsageError: the saved device cannot be read.
    """
    if request.kind == "cpu":
        return DeviceSelection((CPU,))
    if not voice.capabilities.on_gpu:
        return _without_gpu(request, f"the voice {voice.id} is computed on the CPU only", "set `device=cpu`")
    support = None if voice.capabilities.uses_torch else family_named(voice.family).gpu_support()
    if support is not None and not support.kinds and not support.by_torch:
        why = f"the {support.by} that is installed supports only the CPU"
        return _without_gpu(request, why, support.remedy)
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import saved_device

    saved = preflight.saved_device if preflight else saved_device()
    if brief and request.kind == "auto" and saved is None and support is not None and support.by_torch:
        return DeviceSelection((CPU,))
    found = selection(preflight.machine if preflight else detect().machine, request, saved, support)
    try:
        wanted = voice.on(found.best).variant  # else sentences would not sound alike
    except NoDeviceError as error:
        if request.kind != "auto":
            raise
        problem = f"{error.problem}; falling back to the CPU"
        return DeviceSelection((CPU,), (Finding(problem=problem, remedy=error.remedy, severity="warning"),))
    return found._replace(devices=tuple(each for each in found.devices if voice.on(each).variant == wanted))


def selection(
    machine: "Machine", request: "DeviceRequest", saved: "SavedDevice | None", support: GpuSupport | None = None
) -> DeviceSelection:
    """The devices for a voice that torch computes or, given the GPUs that they `support`, for one of others. Pure.

    Raises:
        NoDeviceError: the required device is missing, or cannot speak this voice.
        NoKernelsError: the installed torch has no kernels for the required device.
    """
    from voxmatrix.plan.device_request import is_cpu_allowed
    from voxmatrix.plan.device_selection import USED_BY, select_device
    from voxmatrix.plan.driver_state import lacks_gpu
    from voxmatrix.plan.verdict import assess

    if support is None:
        selected = select_device(machine, request, task="speak", saved_device=saved)
    else:
        selected = _select_supported(machine, request, saved, support)
    # The absence of a usable GPU is reported only if one was requested or saved, or if torch is built for one.
    usable = (
        {kind for kind in USED_BY["speak"] if _may_be_meant(kind, machine)}
        if support is None
        else {gpu.kind for gpu in machine.gpus if gpu.kind in support.kinds or _is_for_torch(gpu, machine, support)}
    )
    is_relevant = (
        request.kind != "auto"
        or saved is not None
        or any(gpu.kind in usable for gpu in machine.gpus)
        or (support is None and lacks_gpu(machine) and not is_cpu_allowed(request, saved))
    )
    return DeviceSelection(
        _with_others(selected, machine, request, saved, assess if support is None else _assess_with(support)),
        selected.findings if is_relevant else (),
    )


def _may_be_meant(kind: str, machine: "Machine") -> bool:
    """Whether a GPU of this kind is expected to speak; a CPU torch leaves AMD's and Intel's alone."""
    from voxmatrix.plan.image_advice import OTHER_BUILDS

    return kind not in OTHER_BUILDS or (machine.torch is not None and machine.torch.built_for == kind)


def _with_others(
    selected: "SelectedDevice",
    machine: "Machine",
    request: "DeviceRequest",
    saved: "SavedDevice | None",
    assess: "Assess",
) -> tuple[SpeakDevice, ...]:
    """The selected GPU and the other usable ones of its kind, unless a specific one was requested."""
    from voxmatrix.plan.device_selection import unsupported

    best = selected.gpu
    if best is None:
        return (CPU,)
    required = request.kind != "auto" and request.fallback == "end"
    specific = request.index is not None or (request.kind == "auto" and saved is not None)
    others = [
        gpu
        for gpu in machine.gpus
        if gpu != best and gpu.kind == best.kind and not unsupported(gpu, machine, assess, "speak")
    ]
    return tuple(
        SpeakDevice(on=FoundGpu(gpu=gpu, machine=machine), required=required)
        for gpu in (best, *([] if specific else others))
    )


def _select_supported(
    machine: "Machine", request: "DeviceRequest", saved: "SavedDevice | None", support: GpuSupport
) -> "SelectedDevice":
    from voxmatrix.plan.device_selection import select_device

    try:
        return select_device(machine, request, task="speak", saved_device=saved, assess=_assess_with(support))
    except NoKernelsError as error:  # raised for any unsupported GPU; the kernels of torch do not matter here
        raise NoDeviceError(error.problem, error.remedy) from error


def _assess_with(support: GpuSupport) -> "Assess":
    """Whether a GPU computes voices that are supported like this."""
    from voxmatrix.plan.verdict import assess

    def assessed(gpu: "Gpu", machine: "Machine") -> "Assessment":
        """By torch if possible, which computes in batches; other programs have kernels of their own."""
        own = assess(gpu, machine)
        if _is_for_torch(gpu, machine, support) and (FoundGpu(gpu=gpu, machine=machine).by_torch or not support.kinds):
            return own
        if gpu.kind in support.kinds:
            return replace(own, verdict="native", reason=f"{support.by} has a provider for it", remedy="")
        reason = f"{support.by} has no provider for it"
        return replace(own, verdict="unsupported", reason=reason, remedy=support.remedy)

    return assessed


def _is_for_torch(gpu: "Gpu", machine: "Machine", support: GpuSupport) -> bool:
    """Whether torch computes such voices on GPUs of this kind."""
    return support.by_torch and machine.torch is not None and machine.torch.built_for == gpu.kind


def _without_gpu(request: "DeviceRequest", why: str, remedy: str) -> DeviceSelection:
    """The CPU, with a warning or an error if another device was requested."""
    if request.kind == "auto":
        return DeviceSelection((CPU,))
    problem = f"{request.origin}: {why}"
    if request.fallback == "end":
        raise NoDeviceError(problem, remedy)
    finding = Finding(problem=f"{problem}; falling back to the CPU", remedy=remedy, severity="warning")
    return DeviceSelection((CPU,), (finding,))
