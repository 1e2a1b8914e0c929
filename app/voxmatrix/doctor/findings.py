"""What is wrong with a computer besides its GPUs' verdicts, each with the line that mends it. Pure."""

from collections.abc import Sequence

from voxmatrix.doctor.smoke import OperationResult
from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.verdict import Assessment

#: Verdicts with which a GPU cannot work.
STOPS = ("unsupported", "driver-too-old")
#: The first thing that the child does.
IMPORT = "import torch"
_REINSTALL = "install it anew: pip install --force-reinstall torch, or use an image of ours"
_REPORT = "set --device cpu, and report this with the file of: voxmatrix doctor --record machine.json"
#: Below this, DataLoader workers soon have no room for a batch. Docker gives 64.
LEAST_SHM_MIB = 512


def find(
    machine: Machine, assessments: Sequence[Assessment], results: Sequence[OperationResult], chosen: Gpu | None
) -> tuple[Finding, ...]:
    """Everything that a person should know, the worst first."""
    found = [*of_torch(machine), *_gpus(machine, assessments, chosen), *_smoke(results), *of_place(machine)]
    return tuple(sorted(found, key=lambda finding: finding.severity != "error"))


def of_torch(machine: Machine) -> list[Finding]:
    """What is wrong with torch itself, or with torch on this computer."""
    if machine.torch is None:
        return [Finding(problem="torch is not installed, or it cannot be read", remedy="pip install voxmatrix")]
    if machine.torch.cuda and not machine.gpus:
        remedy = (
            "start the container with --gpus all" if machine.container else "install NVIDIA's driver, or use image cpu"
        )
        problem = f"torch {machine.torch.version} is built for CUDA, and there is no GPU here: the CPU works"
        return [Finding(problem=problem, remedy=remedy, severity="warning")]
    return []


def of_gpu(gpu: Gpu, assessment: Assessment, chosen: Gpu | None) -> Finding:
    """What a verdict means for a person: an error where it is the GPU that was to work."""
    problem = f"GPU {gpu.index} ({gpu.name or 'without a name'}): {assessment.reason}"
    fatal = gpu == chosen and assessment.verdict in STOPS
    return Finding(problem=problem, remedy=assessment.remedy, severity="error" if fatal else "warning")


def _gpus(machine: Machine, assessments: Sequence[Assessment], chosen: Gpu | None) -> list[Finding]:
    pairs = zip(machine.gpus, assessments, strict=True)
    return [of_gpu(gpu, assessment, chosen) for gpu, assessment in pairs if assessment.verdict in (*STOPS, None)]


def _smoke(results: Sequence[OperationResult]) -> list[Finding]:
    return [
        Finding(
            problem=f"{result.op} in {result.dtype} on {_where(result)}: {result.problem}",
            remedy=_REINSTALL if result.op == IMPORT else _REPORT,
        )
        for result in results
        if not result.ok
    ]


def _where(result: OperationResult) -> str:
    return "the CPU" if result.gpu is None else f"GPU {result.gpu}"


def of_place(machine: Machine) -> list[Finding]:
    """What is wrong around torch and the GPUs: shared memory, WSL2."""
    found = []
    if machine.shm_mib is not None and machine.shm_mib < LEAST_SHM_MIB and machine.gpus:
        found.append(
            Finding(
                problem=f"/dev/shm has {machine.shm_mib} MiB free: too little for processes that load batches",
                remedy="start the container with --shm-size=8g" if machine.container else "give /dev/shm more room",
                severity="warning",
            )
        )
    if machine.wsl and not machine.gpus:
        found.append(
            Finding(
                problem="WSL2 shows no GPU: its driver comes from Windows",
                remedy="install the GPU's driver in Windows (never a Linux driver inside WSL2), then: wsl --shutdown",
                severity="warning",
            )
        )
    return found
