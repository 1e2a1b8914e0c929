"""Which device of a computer the verdict is about. Pure."""

import re
from collections.abc import Sequence

from app.errors import NoDeviceError, UsageError
from app.machine.facts import Gpu, Machine
from app.plan.verdict import Judgement

RUNS = ("native", "ptx-jit")


def chosen_gpu(machine: Machine, judgements: Sequence[Judgement], asked: str) -> Gpu | None:
    """The GPU that is meant; None: the CPU. `auto` is the first that runs, and a CUDA torch's first GPU when none does.

    Raises:
        UsageError: that is not the name of a device.
        NoDeviceError: it is not there.
    """
    if asked == "cpu":
        return None
    if asked == "auto":
        running = (gpu for gpu, judged in zip(machine.gpus, judgements, strict=True) if judged.verdict in RUNS)
        return next(running, _first_cuda(machine))
    found = re.fullmatch(r"(cuda|directml|xpu|rocm|mps)(?::(\d{1,4}))?", asked, re.ASCII)
    if found is None:
        raise UsageError(f"--device is {asked!r}", "set it to cpu, cuda:0, directml:0 … or auto")
    gpu = next((gpu for gpu in machine.gpus if (gpu.kind, gpu.index) == (found[1], int(found[2] or 0))), None)
    if gpu is None:
        listed = ", ".join(f"{each.kind}:{each.index}" for each in machine.gpus) or "no GPU"
        raise NoDeviceError(f"--device is {asked}, and here is {listed}", "set --device cpu or auto; see: doctor")
    return gpu


def _first_cuda(machine: Machine) -> Gpu | None:
    """Where torch is a build with CUDA, a GPU is meant to work, and that it cannot is an error rather than a wish."""
    wanted = machine.torch is not None and machine.torch.cuda is not None
    return next((gpu for gpu in machine.gpus if wanted and gpu.kind == "cuda" and gpu.capability), None)
