"""Whether a machine's torch runs on one of its GPUs, why, and which image would. Pure; no torch."""

from dataclasses import dataclass
from typing import Literal

from voxmatrix.machine.facts import Capability, Gpu, Machine, TorchBuild
from voxmatrix.plan.image_advice import OTHER_BUILDS, advice, best_image, newer_than_any, shows_windows_driver
from voxmatrix.tables import rows
from voxmatrix.tables.gpus import Kernel, compatibility, drivers, parse_kernel
from voxmatrix.tables.image import CPU, DIRECTML, images

Verdict = Literal["native", "ptx-jit", "unsupported", "driver-too-old"]

#: GPUs that are not NVIDIA's, in words.
_KINDS = {"directml": "a DirectX 12 GPU", "xpu": "an Intel GPU", "rocm": "an AMD GPU", "mps": "an Apple GPU"}
#: We had no such GPU: what is said about them follows from torch's documentation and build scripts.
UNTRIED = "voxmatrix has never been run on such a GPU"


@dataclass(frozen=True, kw_only=True)
class Assessment:
    """The verdict on one GPU. None: there is no rule for this GPU, and `reason` says why."""

    verdict: Verdict | None
    reason: str
    remedy: str  # one line: the image to use or what to install; "" if nothing needs to be done
    image: str  # name of the best image for this GPU


def assess(gpu: Gpu, machine: Machine) -> Assessment:
    """Assess one GPU of a machine from the kernels of its torch and the driver."""
    verdict, reason = _verdict(gpu, machine)
    return Assessment(
        verdict=verdict, reason=reason, remedy=_remedy(verdict, gpu, machine), image=best_image(gpu, machine).name
    )


def _verdict(gpu: Gpu, machine: Machine) -> tuple[Verdict | None, str]:
    torch, capability = machine.torch, gpu.capability
    if gpu.kind in OTHER_BUILDS:
        return _by_target(gpu, torch)
    if gpu.kind == "directml" and _speaks_by_directml(machine):
        return None, "a DirectX 12 GPU: torch-directml speaks on it, and training needs an NVIDIA GPU or the CPU"
    if gpu.kind != "cuda":
        return None, f"{_KINDS[gpu.kind]}: the rules for NVIDIA kernels do not apply"
    if torch is None or capability is None:
        unknown = "its compute capability could not be read" if torch else "torch is not installed here"
        return None, f"{unknown}, so compatibility cannot be determined"
    if torch.cuda is None:
        return "unsupported", f"torch {torch.version} is a build without CUDA"
    return _by_kernels(gpu, capability, machine, torch, torch.cuda)


def _by_target(gpu: Gpu, torch: TorchBuild | None) -> tuple[Verdict | None, str]:
    """The verdict on an AMD or Intel GPU: torch's kernels are named after the GPUs that they are made for."""
    kind, build = _KINDS[gpu.kind], OTHER_BUILDS[gpu.kind]
    if torch is None:
        return None, f"{kind}; torch is not installed here, so compatibility cannot be determined"
    if torch.built_for != gpu.kind:
        return "unsupported", f"{kind}, and torch {torch.version} is a build without {build}"
    if gpu.target in torch.kernels:
        return "native", f"torch's {gpu.target} kernels are made for it; {UNTRIED}"
    if gpu.target is None and gpu.kind == "xpu":
        return "unsupported", f"{kind} that is not among those that torch's XPU builds are made for"
    # Intel's driver can compile torch's portable kernels (SPIR-V) for GPUs without their own.
    lacking = gpu.kind == "rocm" and gpu.target is not None and bool(torch.kernels)
    whose = f"{kind} of unknown architecture" if gpu.target is None else f"{kind} ({gpu.target})"
    kernels = " ".join(torch.kernels) or "unknown GPUs"
    return (
        "unsupported" if lacking else None,
        f"{whose}; torch {torch.version} has kernels for {kernels}; {UNTRIED}",
    )


def _by_kernels(
    gpu: Gpu, capability: Capability, machine: Machine, torch: TorchBuild, cuda: str
) -> tuple[Verdict | None, str]:
    kernels = [kernel for name in torch.kernels if (kernel := parse_kernel(name))]
    if not kernels:
        return None, f"the kernels of torch {torch.version} could not be read"
    running = [kernel for kernel in kernels if compatibility().runs(kernel, capability, cuda)]
    if not running:
        return "unsupported", _why_not(gpu, capability, torch)
    # Prefer machine code to PTX, then the newest capability, which suits the GPU best.
    best = max(running, key=lambda kernel: (kernel.form == "sm", kernel.capability))
    return _by_driver(gpu, capability, best, cuda, machine)


def _by_driver(gpu: Gpu, capability: Capability, kernel: Kernel, cuda: str, machine: Machine) -> tuple[Verdict, str]:
    """The verdict once the kernels fit: whether the driver is new enough for them."""
    oldest = drivers().oldest if kernel.form == "sm" else drivers().oldest_for_ptx
    floor = oldest(cuda, capability, shows_windows_driver(machine))
    driver, needed = rows.version(gpu.driver), rows.version(floor)
    if driver and needed and driver < needed:
        return "driver-too-old", f"the driver is {gpu.driver}; CUDA {cuda} needs {floor} or newer for {capability.sm}"
    needs = f", {floor} or newer is required" if floor else ""
    unknown = "" if driver else f"; the driver version could not be read{needs}"
    if kernel.form == "sm":
        return "native", f"torch's {kernel} kernels run on {capability.sm}{unknown}"
    return "ptx-jit", f"the driver compiles {kernel} for {capability.sm} on first use{unknown}"


def _why_not(gpu: Gpu, capability: Capability, torch: TorchBuild) -> str:
    newer = "; this GPU is newer than any image" if newer_than_any(gpu) else ""
    kernels = " ".join(torch.kernels)
    return f"torch {torch.version} has kernels for {kernels}, none of which runs on {capability.sm}{newer}"


def _remedy(verdict: Verdict | None, gpu: Gpu, machine: Machine) -> str:
    if verdict == "native":
        return ""
    if verdict == "ptx-jit" and best_image(gpu, machine).name == CPU:
        return "nothing to do: the first start takes a few minutes longer"
    if verdict is None and machine.torch and machine.torch.built_for == gpu.kind and gpu.kind in OTHER_BUILDS:
        return "try it: voxmatrix doctor; if that fails, set `device=cpu`"
    if verdict is None and gpu.kind == "directml" and _speaks_by_directml(machine):
        return ""
    return advice(gpu, machine)


def _speaks_by_directml(machine: Machine) -> bool:
    """Whether torch is the one that torch-directml needs, in Windows: what voxmatrix.ps1 installs."""
    wanted = images()[DIRECTML]
    if machine.platform != "windows" or not wanted.is_for(machine.architecture) or machine.torch is None:
        return False
    return machine.torch.version.partition("+")[0] == wanted.torch
