"""The device for a voice on this computer. Little is imported, and nothing probed, before it is needed."""

from pathlib import Path

from voxmatrix.errors import Finding, NoDeviceError
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.speak.device import CPU, ChosenSeveral, DeviceSelection
from voxmatrix.speak.engines.provider import INSTALL, served_kinds
from voxmatrix.speak.voice_files import find_voice


def find_device(voice: Path, request: DeviceRequest) -> DeviceSelection:
    """The device for a voice on this computer. Nothing is probed for a voice that the CPU speaks in any case.

    Raises:
        BadInputError: there is no such voice.
        NoDeviceError: the device was demanded and is not there, or this voice cannot be spoken on it.
        NoKernelsError: it is there, and this torch has no kernels for it.
        UsageError: the remembered device cannot be read.
    """
    found = find_devices(voice, request)
    return DeviceSelection(found.devices[0], found.findings)


def find_devices(voice: Path, request: DeviceRequest) -> ChosenSeveral:
    """Those that share a batch: the best, and all others of its kind unless one was named.

    Raises:
        As `find_device`.
    """
    if request.kind == "cpu":
        return ChosenSeveral((CPU,))
    kinds = served_kinds() if find_voice(voice).suffix == ".onnx" else None
    if kinds is not None and not kinds:
        return _without_provider(request)
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import saved_device
    from voxmatrix.speak.device_choice import all_like, choose_to_speak

    saved = saved_device()
    device, findings = choose_to_speak(detect().machine, request, saved, kinds)
    return ChosenSeveral(all_like(device, request, saved, by_torch=kinds is None), findings)


def _without_provider(request: DeviceRequest) -> ChosenSeveral:
    """The CPU, which is right for an ONNX voice; who asked for something else is told."""
    if request.kind == "auto":
        return ChosenSeveral((CPU,))
    problem = f"{request.said}: the onnxruntime that is installed speaks on the CPU only"
    if request.fallback == "end":
        raise NoDeviceError(problem, INSTALL)
    return ChosenSeveral((CPU,), (Finding(problem=problem, remedy=INSTALL, severity="warning"),))
