"""The problems of a computer, each with its remedy, and what to know about a GPU by its architecture. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from voxmatrix.doctor.smoke import OperationResult
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import CONTAINER_OPTIONS, DRIVER_ERROR, Gpu, Machine
from voxmatrix.plan.budget import shares_memory
from voxmatrix.plan.driver_state import driver_finding
from voxmatrix.plan.verdict import Assessment
from voxmatrix.tables.gpus import DriverError, architecture, driver_error
from voxmatrix.tables.training import memory_table

_NOTHING = "voxmatrix does not use it: nothing to do"


def advice(gpu: Gpu, machine: Machine) -> tuple[str, ...]:
    """One line per subject; none for a GPU whose architecture is unknown."""
    row = architecture(gpu.capability) if gpu.capability else None
    if row is None:
        return ()
    formats = " and ".join(name for name, has in (("bf16", row.bf16), ("TF32", row.tf32)) if has)
    return (
        f"{row.architecture}: {formats or 'neither bf16 nor TF32'} on tensor cores; {'; '.join(row.advice)}",
        f"flash-attn: {_flash(machine.flash_attention, has_kernels=row.flash)} {_NOTHING}",
        *(["WSL2: the GPU uses the driver of Windows; never install a Linux driver in WSL2"] if machine.wsl else []),
    )


def _flash(version: str | None, *, has_kernels: bool) -> str:
    kernels = "has kernels for this GPU, but" if has_kernels else "has no kernels for this GPU, and"
    return f"not installed; it {kernels}" if version is None else f"{version} is installed and {kernels}"


#: Verdicts for GPUs that cannot be used.
_UNUSABLE = ("unsupported", "driver-too-old")
#: The kinds of GPU that torch is built for: what the build is called, and the driver.
_BUILT_FOR = {
    "cuda": ("CUDA", "the NVIDIA driver"),
    "rocm": ("ROCm", "AMD's driver (amdgpu)"),
    "xpu": ("XPU", "Intel's driver (i915 or xe)"),
}
#: The same where Docker's option does not exist.
_ELSEWHERE = {"cuda": " (Podman: --device nvidia.com/gpu=all; Kubernetes: the limit nvidia.com/gpu: 1)"}
#: The first operations of the child.
IMPORT, START = "import torch", "start CUDA"
_REINSTALL = "reinstall it: pip install --force-reinstall torch, or use one of our images"
_REPORT = "set `device=cpu`, and report this with the file written by: voxmatrix doctor --record machine.json"
#: With less, DataLoader workers run out of space for batches. Docker's default is 64, which is enough for a CPU.
_MIN_SHM_MIB = 512
_MIN_SHM_MIB_ON_CPU = 64


def find(
    machine: Machine,
    assessments: Sequence[Assessment],
    results: Sequence[OperationResult],
    chosen: Gpu | None,
    *,
    needs_gpu: bool = False,
) -> tuple[Finding, ...]:
    """All findings, errors first. `needs_gpu`: that torch has no GPU is an error."""
    torch = [replace(found, severity="error") if needs_gpu else found for found in of_torch(machine)]
    found = [*torch, *_gpus(machine, assessments, chosen), *_smoke(results), *of_system(machine)]
    return tuple(sorted(found, key=lambda finding: finding.severity != "error"))


def of_torch(machine: Machine) -> list[Finding]:
    """Problems of the torch installation."""
    if machine.torch is None:
        return [Finding(problem="torch is not installed, or it cannot be read", remedy="pip install voxmatrix")]
    absent = without_gpu(machine) or driver_finding(machine)
    return [] if absent is None else [absent]


def without_gpu(machine: Machine) -> Finding | None:
    """Why torch, which is built for GPUs, has none; None if it has one, or is a build for the CPU."""
    built_for = machine.torch.built_for if machine.torch else None
    if machine.torch is None or built_for is None or any(gpu.kind == built_for for gpu in machine.gpus):
        return None
    if built_for == "cuda" and (driver := driver_finding(machine)) is not None:
        return driver
    name, needed = _BUILT_FOR.get(built_for, ("", ""))
    return Finding(
        problem=f"torch {machine.torch.version} is built for {name}, but there is no GPU for it",
        remedy=f"start the container with {CONTAINER_OPTIONS[built_for]}{_ELSEWHERE.get(built_for, '')}"
        if machine.container
        else f"install {needed}, or use the image cpu",
        severity="warning",
    )


def of_gpu(gpu: Gpu, assessment: Assessment, chosen: Gpu | None) -> Finding:
    """The finding for a verdict: an error if the chosen GPU cannot be used, else a warning."""
    problem = f"GPU {gpu.index} ({gpu.name or 'unnamed'}): {assessment.reason}"
    fatal = gpu == chosen and assessment.verdict in _UNUSABLE
    return Finding(problem=problem, remedy=assessment.remedy, severity="error" if fatal else "warning")


def _gpus(machine: Machine, assessments: Sequence[Assessment], chosen: Gpu | None) -> list[Finding]:
    pairs = list(zip(machine.gpus, assessments, strict=True))
    # Without a remedy there is nothing to say: such as a DirectX GPU whose environment is complete.
    judged = [(gpu, one) for gpu, one in pairs if one.verdict in _UNUSABLE or (one.verdict is None and one.remedy)]
    full = [found for gpu, one in pairs if one.verdict not in _UNUSABLE and (found := of_memory(gpu))]
    return [*(of_gpu(gpu, one, chosen) for gpu, one in judged), *full]


def of_memory(gpu: Gpu) -> Finding | None:
    """The finding for a GPU whose memory other programs use, so that torch hardly starts on it."""
    if gpu.free_mib is None or shares_memory(gpu) or gpu.free_mib >= memory_table().process_mib:
        return None
    if gpu.memory_mib is None or gpu.memory_mib - gpu.free_mib < memory_table().process_mib:
        return None
    return Finding(
        problem=f"GPU {gpu.index} ({gpu.name or 'unnamed'}): only {gpu.free_mib} of {gpu.memory_mib} MiB are free: "
        "other programs use the rest",
        remedy="see nvidia-smi, and end what uses it, or set `device=cpu`",
        severity="warning",
    )


def _smoke(results: Sequence[OperationResult]) -> list[Finding]:
    return [_failed(result) for result in results if not result.ok]


def _failed(result: OperationResult) -> Finding:
    if result.op == START:
        error = start_error(result)
        return Finding(problem=f"{_where(result)}: {error.problem}", remedy=error.remedy)
    return Finding(
        problem=f"{result.op} in {result.dtype} on {_where(result)}: {result.problem}",
        remedy=_REINSTALL if result.op == IMPORT else _REPORT,
    )


def start_error(result: OperationResult) -> DriverError:
    """What a failed START means. Its problem is a name such as "cuda 802", or says how the process ended."""
    if re.fullmatch(DRIVER_ERROR, result.problem):
        return driver_error(result.problem)
    error = driver_error("cuda other")
    return replace(error, problem=f"{error.problem}: {result.problem}")


def _where(result: OperationResult) -> str:
    return "the CPU" if result.gpu is None else f"GPU {result.gpu}"


def of_system(machine: Machine) -> list[Finding]:
    """Problems of the system around torch and the GPUs: shared memory, WSL2."""
    found = []
    if machine.shm_mib is not None and machine.shm_mib < (_MIN_SHM_MIB if machine.gpus else _MIN_SHM_MIB_ON_CPU):
        found.append(
            Finding(
                problem=f"/dev/shm has only {machine.shm_mib} MiB free: too little for data loader workers",
                remedy="start the container with --shm-size=8g" if machine.container else "make /dev/shm larger",
                severity="warning",
            )
        )
    if machine.wsl and not machine.gpus:
        found.append(
            Finding(
                problem="no GPU is visible in WSL2, which uses the Windows driver",
                remedy="install the GPU driver in Windows (never a Linux driver in WSL2), then run: wsl --shutdown",
                severity="warning",
            )
        )
    return found
