"""The device for a voice on this computer. Little is imported, and nothing probed, before it is needed."""

from pathlib import Path

from app.errors import Finding, NoDeviceError
from app.plan.device import Wish
from app.speak.device import CPU, Chosen
from app.speak.places import find_voice
from app.speak.provider import INSTALL, served_kinds


def find_device(voice: Path, wish: Wish) -> Chosen:
    """The device for a voice on this computer. Nothing is probed for a voice that the CPU speaks in any case.

    Raises:
        BadInputError: there is no such voice.
        NoDeviceError: the device was demanded and is not there, or this voice cannot be spoken on it.
        NoKernelsError: it is there, and this torch has no kernels for it.
        UsageError: the remembered device cannot be read.
    """
    if wish.kind == "cpu":
        return Chosen(CPU)
    kinds = served_kinds() if find_voice(voice).suffix == ".onnx" else None
    if kinds is not None and not kinds:
        return _without_provider(wish)
    from app.machine.detect import detect
    from app.machine.remembered import remembered
    from app.speak.choice import choose_to_speak

    return choose_to_speak(detect().machine, wish, remembered(), kinds)


def _without_provider(wish: Wish) -> Chosen:
    """The CPU, which is right for an ONNX voice; who asked for something else is told."""
    if wish.kind == "auto":
        return Chosen(CPU)
    problem = f"{wish.said}: the onnxruntime that is installed speaks on the CPU only"
    if wish.otherwise == "end":
        raise NoDeviceError(problem, INSTALL)
    return Chosen(CPU, (Finding(problem=problem, remedy=INSTALL, severity="warning"),))
