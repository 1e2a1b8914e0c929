"""The device for a task: what was asked for, what is there, and what can be used of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU, Remembered, find
from voxmatrix.plan.device_request import Wish
from voxmatrix.plan.device_support import Judge, Task, absent, unfit
from voxmatrix.plan.gpu_ranking import best, meant
from voxmatrix.plan.verdict import judge
from voxmatrix.settings import Setting, Source

_REMEMBERED = "remembered from `voxmatrix devices select`"


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The device; `gpu` is None where the CPU works. Findings say why a better one is not used."""

    device: Setting[str]
    gpu: Gpu | None = None
    findings: tuple[Finding, ...] = ()


def choose(
    machine: Machine,
    wish: Wish,
    *,
    task: Task = "train",
    remembered: Remembered | None = None,
    judge: Judge = judge,
) -> Choice:
    """The device to use.

    Raises:
        NoDeviceError: the device that was demanded is not there, its driver is too old, or it cannot do this task.
        NoKernelsError: it is there, and this torch has no kernels for it.
    """
    if wish.kind == "cpu":
        return Choice(device=Setting(value=CPU, reason=f"asked for by {wish.said}", source=wish.source))
    if wish.kind == "auto":
        return _automatic(machine, judge, task, remembered)
    gpu = meant(machine, wish, lambda gpu: unfit(gpu, machine, judge, task) is None)
    wrong = absent(machine, wish) if gpu is None else unfit(gpu, machine, judge, task)
    if wrong is None and gpu is not None:
        return _taken(gpu, machine, judge, f"asked for by {wish.said}", source=wish.source, findings=())
    assert wrong is not None  # no GPU is always wrong
    if wish.otherwise == "end":
        raise wrong
    found = Finding(problem=f"{wish.said}: {wrong.problem}", remedy=wrong.remedy, severity="warning")
    if wish.otherwise == "auto":
        instead = _automatic(machine, judge, task, remembered)
        return Choice(device=instead.device, gpu=instead.gpu, findings=(found, *instead.findings))
    reason = f"{wish.said} cannot be had, so the CPU works: {wrong.problem}"
    return Choice(device=Setting(value=CPU, reason=reason, source="automatic"), findings=(found,))


def _automatic(machine: Machine, judge: Judge, task: Task, remembered: Remembered | None) -> Choice:
    if remembered is not None and remembered.device == CPU:
        return Choice(device=Setting(value=CPU, reason=_REMEMBERED, source="automatic"))
    refused = {gpu: wrong for gpu in machine.gpus if (wrong := unfit(gpu, machine, judge, task)) is not None}
    fit = [gpu for gpu in machine.gpus if gpu not in refused]
    findings = [Finding(problem=wrong.problem, remedy=wrong.remedy, severity="warning") for wrong in refused.values()]
    if remembered is not None:
        same = find(machine, remembered)
        if same is not None and same not in refused:
            return _taken(
                same,
                machine,
                judge,
                _REMEMBERED,
                source="automatic",
                findings=findings,
            )
        why = "is not here any more" if same is None else "cannot be used now"
        findings.insert(0, _forgotten(remembered, why))
    if fit:
        gpu = best(fit, machine)
        others = f"the best of {len(fit)} that can be used" if len(fit) > 1 else "the one GPU that can be used"
        return _taken(gpu, machine, judge, others, source="automatic", findings=findings)
    if not machine.gpus:
        findings.append(_no_gpu(task))
    reason = "; ".join(finding.problem for finding in findings)
    return Choice(device=Setting(value=CPU, reason=reason, source="automatic"), findings=tuple(findings))


def _taken(
    gpu: Gpu, machine: Machine, judge: Judge, why: str, *, source: Source, findings: Sequence[Finding]
) -> Choice:
    """A choice of this GPU, with a warning where nobody can say whether this torch runs on it."""
    judged, said = judge(gpu, machine), list(findings)
    if gpu.kind == "cuda" and judged.verdict is None:
        problem = f"whether torch runs on {gpu.device} ({gpu.name}) is not known: {judged.reason}"
        said.append(Finding(problem=problem, remedy=judged.remedy or "see: voxmatrix doctor", severity="warning"))
    setting = Setting(value=gpu.device, reason=_seen(gpu, why), source=source)
    return Choice(device=setting, gpu=gpu, findings=tuple(said))


def _forgotten(remembered: Remembered, why: str) -> Finding:
    return Finding(
        problem=f"the remembered {remembered.device} {why}: decided anew",
        remedy="choose again: voxmatrix devices select --reconfigure",
        severity="warning",
    )


def _no_gpu(task: Task) -> Finding:
    cost = "training on the CPU is many times slower" if task == "train" else "the CPU speaks"
    return Finding(
        problem=f"no GPU was found; {cost}",
        remedy="if this computer has one, install its driver; in a container add --gpus all",
        severity="warning",
    )


def _seen(gpu: Gpu, why: str) -> str:
    capability = f", capability {gpu.capability}" if gpu.capability else ""
    memory = f", {gpu.free_mib} MiB free" if gpu.free_mib is not None else ""
    return f"{gpu.name or 'a GPU without a name'}{capability}{memory}: {why}"
