"""The device for a voice on this computer. Little is imported, and nothing probed, before it is needed."""

from pathlib import Path

from voxmatrix.errors import Finding, NoDeviceError
from voxmatrix.plan.device_request import Wish
from voxmatrix.speak.device import CPU, Chosen, ChosenSeveral
from voxmatrix.speak.engines.provider import INSTALL, served_kinds
from voxmatrix.speak.voice_files import find_voice


def find_device(voice: Path, wish: Wish) -> Chosen:
    """The device for a voice on this computer. Nothing is probed for a voice that the CPU speaks in any case.

    Raises:
        BadInputError: there is no such voice.
        NoDeviceError: the device was demanded and is not there, or this voice cannot be spoken on it.
        NoKernelsError: it is there, and this torch has no kernels for it.
        UsageError: the remembered device cannot be read.
    """
    found = find_devices(voice, wish)
    return Chosen(found.devices[0], found.findings)


def find_devices(voice: Path, wish: Wish) -> ChosenSeveral:
    """Those that share a batch: the best, and all others of its kind unless one was named.

    Raises:
        As `find_device`.
    """
    if wish.kind == "cpu":
        return ChosenSeveral((CPU,))
    kinds = served_kinds() if find_voice(voice).suffix == ".onnx" else None
    if kinds is not None and not kinds:
        return _without_provider(wish)
    from voxmatrix.machine.detect import detect
    from voxmatrix.machine.saved_device import remembered
    from voxmatrix.speak.device_choice import all_like, choose_to_speak

    kept = remembered()
    device, findings = choose_to_speak(detect().machine, wish, kept, kinds)
    return ChosenSeveral(all_like(device, wish, kept, by_torch=kinds is None), findings)


def _without_provider(wish: Wish) -> ChosenSeveral:
    """The CPU, which is right for an ONNX voice; who asked for something else is told."""
    if wish.kind == "auto":
        return ChosenSeveral((CPU,))
    problem = f"{wish.said}: the onnxruntime that is installed speaks on the CPU only"
    if wish.otherwise == "end":
        raise NoDeviceError(problem, INSTALL)
    return ChosenSeveral((CPU,), (Finding(problem=problem, remedy=INSTALL, severity="warning"),))
