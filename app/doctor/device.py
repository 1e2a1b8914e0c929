"""Which device a report is about. Unlike a plan, a report also speaks of a GPU that cannot work. Pure."""

from collections.abc import Sequence

from app.errors import NoDeviceError
from app.machine.facts import Gpu, Machine
from app.plan.device import parse_device
from app.plan.rank import best
from app.plan.verdict import Judgement

RUNS = ("native", "ptx-jit")


def chosen_gpu(machine: Machine, judgements: Sequence[Judgement], asked: str) -> Gpu | None:
    """The GPU that is meant; None: the CPU. `auto` is the best that runs, and a CUDA torch's first GPU when none does.

    Raises:
        UsageError: that is not the name of a device.
        NoDeviceError: it is not there.
    """
    wish = parse_device(asked, "flag", f"--device {asked}")
    running = [gpu for gpu, judged in zip(machine.gpus, judgements, strict=True) if judged.verdict in RUNS]
    if wish.kind == "cpu":
        return None
    if wish.kind == "auto":
        return best(running, machine) if running else _first_cuda(machine)
    there = [gpu for gpu in machine.gpus if wish.kind in ("gpu", gpu.kind) and wish.index in (None, gpu.index)]
    if not there:
        listed = ", ".join(f"{each.kind}:{each.index}" for each in machine.gpus) or "no GPU"
        raise NoDeviceError(f"{wish.said} is not there; here is {listed}", "set --device cpu or auto")
    fit = [gpu for gpu in there if gpu in running]
    return best(fit, machine) if fit else there[0]


def _first_cuda(machine: Machine) -> Gpu | None:
    """Where torch is a build with CUDA, a GPU is meant to work, and that it cannot is an error rather than a wish."""
    wanted = machine.torch is not None and machine.torch.cuda is not None
    return next((gpu for gpu in machine.gpus if wanted and gpu.kind == "cuda" and gpu.capability), None)
