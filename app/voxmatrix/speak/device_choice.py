"""The device that a voice speaks on, of those that are there and that its file can use. Pure."""

from dataclasses import replace

from voxmatrix.errors import NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Kind, Machine
from voxmatrix.machine.saved_device import Remembered
from voxmatrix.plan.device_request import Wish
from voxmatrix.plan.device_selection import Choice, choose
from voxmatrix.plan.device_support import USED_BY, unfit
from voxmatrix.plan.verdict import Judgement, judge
from voxmatrix.speak.device import CPU, Chosen, FoundGpu, SpeakDevice
from voxmatrix.speak.engines.provider import INSTALL


def choose_to_speak(
    machine: Machine, wish: Wish, kept: Remembered | None, kinds: frozenset[Kind] | None = None
) -> Chosen:
    """The device for a checkpoint; for an ONNX voice when onnxruntime has providers for `kinds` of GPU. Pure.

    Raises:
        NoDeviceError: the device was demanded and is not there, or this voice cannot be spoken on it.
        NoKernelsError: it is there, and this torch has no kernels for it.
    """
    if kinds is None:
        choice = choose(machine, wish, task="speak", remembered=kept)
    else:
        choice = _choose_provider(machine, wish, kept, kinds)
    # Nobody is told that a computer without a GPU to speak on has none, unless he asked for one.
    usable = USED_BY["speak"] if kinds is None else kinds
    worth_telling = wish.kind != "auto" or kept is not None or any(each.kind in usable for each in machine.gpus)
    return Chosen(_device(choice, machine, wish), choice.findings if worth_telling else ())


def all_like(chosen: SpeakDevice, wish: Wish, kept: Remembered | None, *, by_torch: bool) -> tuple[SpeakDevice, ...]:
    """For many texts: the chosen GPU and all others of its kind that can be used, unless one was named. Pure."""
    on = chosen.on
    if on is None or wish.index is not None or (wish.kind == "auto" and kept is not None):
        return (chosen,)
    others = [
        gpu
        for gpu in on.machine.gpus
        if gpu != on.gpu and gpu.kind == on.gpu.kind and not (by_torch and unfit(gpu, on.machine, judge, "speak"))
    ]
    return (chosen, *(replace(chosen, on=replace(on, gpu=gpu)) for gpu in others))


def _device(choice: Choice, machine: Machine, wish: Wish) -> SpeakDevice:
    if choice.gpu is None:
        return CPU
    demanded = wish.kind != "auto" and wish.otherwise == "end"
    return SpeakDevice(on=FoundGpu(gpu=choice.gpu, machine=machine), demanded=demanded)


def _choose_provider(machine: Machine, wish: Wish, kept: Remembered | None, kinds: frozenset[Kind]) -> Choice:
    def judge_provider(gpu: Gpu, machine: Machine) -> Judgement:
        """Providers bring kernels of their own: what torch has does not matter."""
        judged = judge(gpu, machine)
        if gpu.kind in kinds:
            return replace(judged, verdict="native", reason="onnxruntime has a provider for it", remedy="")
        return replace(judged, verdict="unsupported", reason="onnxruntime has no provider for it", remedy=INSTALL)

    try:
        return choose(machine, wish, task="speak", remembered=kept, judge=judge_provider)
    except NoKernelsError as error:  # its word for what is unsupported; torch's kernels have no part in it
        raise NoDeviceError(error.problem, error.remedy) from error
