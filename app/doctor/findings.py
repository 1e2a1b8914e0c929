"""What is wrong with a computer besides its GPUs' verdicts, each with the line that mends it. Pure."""

from collections.abc import Sequence

from app.doctor.smoke import Result
from app.errors import Finding
from app.machine.facts import Machine
from app.plan.verdict import Judgement

#: Below this, DataLoader workers soon have no room for a batch. Docker gives 64.
LEAST_SHM_MIB = 512


def find(machine: Machine, judgements: Sequence[Judgement], results: Sequence[Result]) -> tuple[Finding, ...]:
    """Everything that a person should know, the worst first."""
    found = [*_torch(machine), *_gpus(machine, judgements), *_smoke(results), *_place(machine)]
    return tuple(sorted(found, key=lambda finding: finding.severity != "error"))


def _torch(machine: Machine) -> list[Finding]:
    if machine.torch is None:
        return [Finding(problem="torch is not installed, or it cannot be read", remedy="pip install voxmatrix")]
    if machine.torch.cuda and not machine.gpus:
        remedy = (
            "start the container with --gpus all" if machine.container else "install NVIDIA's driver, or use image cpu"
        )
        problem = f"torch {machine.torch.version} is built for CUDA, and there is no GPU here: the CPU works"
        return [Finding(problem=problem, remedy=remedy, severity="warning")]
    return []


def _gpus(machine: Machine, judgements: Sequence[Judgement]) -> list[Finding]:
    return [
        Finding(
            problem=f"GPU {gpu.index} ({gpu.name or 'no name'}): {judged.reason}",
            remedy=judged.remedy,
            severity="warning",
        )
        for gpu, judged in zip(machine.gpus, judgements, strict=True)
        if judged.verdict in ("unsupported", "driver-too-old", None)
    ]


def _smoke(results: Sequence[Result]) -> list[Finding]:
    return [
        Finding(
            problem=f"{result.op} in {result.dtype} on {_where(result)}: {result.problem}",
            remedy="set --device cpu, and report this with the file of: voxmatrix doctor --record machine.json",
        )
        for result in results
        if not result.ok
    ]


def _where(result: Result) -> str:
    return "the CPU" if result.gpu is None else f"GPU {result.gpu}"


def _place(machine: Machine) -> list[Finding]:
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
