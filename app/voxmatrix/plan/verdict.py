"""Whether the torch of a machine runs on a GPU of it, why, and which image would. Pure, and without torch."""

from dataclasses import dataclass
from typing import Literal

from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.plan.image_advice import advice, best_image, newer_than_any, shows_windows_driver
from voxmatrix.tables import rows
from voxmatrix.tables.compatibility import Kernel, compatibility, parse_kernel
from voxmatrix.tables.driver import drivers
from voxmatrix.tables.image import CPU

Verdict = Literal["native", "ptx-jit", "unsupported", "driver-too-old"]

#: How the kinds of GPU that are not NVIDIA's are called.
_KINDS = {"directml": "a DirectX 12 GPU", "xpu": "an Intel GPU", "rocm": "an AMD GPU", "mps": "an Apple GPU"}


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """What is to be expected of one GPU. A verdict of None: the rules say nothing about it, and `reason` says why."""

    verdict: Verdict | None
    reason: str
    remedy: str  # one line: the image to use or what to install; "" when nothing is to be done
    image: str  # the row of the image table that serves this GPU best


def assess(gpu: Gpu, machine: Machine) -> Assessment:
    """The verdict on one GPU of a machine, from the kernels of its torch and from the driver."""
    verdict, reason = _verdict(gpu, machine)
    return Assessment(
        verdict=verdict, reason=reason, remedy=_remedy(verdict, gpu, machine), image=best_image(gpu, machine).name
    )


def _verdict(gpu: Gpu, machine: Machine) -> tuple[Verdict | None, str]:
    torch, capability = machine.torch, gpu.capability
    if gpu.kind != "cuda":
        return None, f"{_KINDS[gpu.kind]}: NVIDIA's rules for kernels do not apply"
    if torch is None or capability is None:
        unknown = "its compute capability could not be read" if torch else "torch is not installed here"
        return None, f"{unknown}, so there is nothing to judge by"
    if torch.cuda is None:
        return "unsupported", f"torch {torch.version} is a build without CUDA"
    return _by_kernels(gpu, capability, machine, torch, torch.cuda)


def _by_kernels(
    gpu: Gpu, capability: Capability, machine: Machine, torch: TorchBuild, cuda: str
) -> tuple[Verdict | None, str]:
    kernels = [kernel for name in torch.kernels if (kernel := parse_kernel(name))]
    if not kernels:
        return None, f"the kernels of torch {torch.version} could not be read"
    running = [kernel for kernel in kernels if compatibility().runs(kernel, capability, cuda)]
    if not running:
        return "unsupported", _why_not(gpu, capability, torch)
    # Machine code before PTX; of each the newest, which suits the GPU best.
    best = max(running, key=lambda kernel: (kernel.form == "sm", kernel.capability))
    return _by_driver(gpu, capability, best, cuda, machine)


def _by_driver(gpu: Gpu, capability: Capability, kernel: Kernel, cuda: str, machine: Machine) -> tuple[Verdict, str]:
    """The verdict where the kernels fit: is the driver new enough for them?"""
    oldest = drivers().oldest if kernel.form == "sm" else drivers().oldest_for_ptx
    floor = oldest(cuda, capability, shows_windows_driver(machine))
    driver, needed = rows.version(gpu.driver), rows.version(floor)
    if driver and needed and driver < needed:
        return "driver-too-old", f"the driver is {gpu.driver}; CUDA {cuda} needs {floor} or newer for {capability.sm}"
    unknown = "" if driver else "; the driver could not be read" + (f", {floor} or newer is needed" if floor else "")
    if kernel.form == "sm":
        return "native", f"its {kernel} kernels run on {capability.sm}{unknown}"
    return "ptx-jit", f"the driver compiles {kernel} for {capability.sm} when it is first used{unknown}"


def _why_not(gpu: Gpu, capability: Capability, torch: TorchBuild) -> str:
    newer = "; this GPU is newer than any image" if newer_than_any(gpu) else ""
    return f"torch {torch.version} has {' '.join(torch.kernels)}, and none of them runs on {capability.sm}{newer}"


def _remedy(verdict: Verdict | None, gpu: Gpu, machine: Machine) -> str:
    if verdict == "native":
        return ""
    if verdict == "ptx-jit" and best_image(gpu, machine).name == CPU:
        return "nothing need be done: the first start takes some minutes longer"
    if gpu.kind == "cuda" and gpu.capability is None:
        return "see whether `nvidia-smi` works here; if it does not, install NVIDIA's driver anew"
    return advice(gpu, machine)
