"""The device for a task: what was asked for, what is there, and what can be used of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from voxmatrix.errors import Finding
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU, SavedDevice, find_saved_device
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_support import Assess, Task, not_found, unsupported
from voxmatrix.plan.gpu_ranking import best_gpu, requested_gpu
from voxmatrix.plan.verdict import assess
from voxmatrix.settings import Setting, Source

_REMEMBERED = "remembered from `voxmatrix devices select`"


@dataclass(frozen=True, kw_only=True)
class SelectedDevice:
    """The device; `gpu` is None where the CPU works. Findings say why a better one is not used."""

    device: Setting[str]
    gpu: Gpu | None = None
    findings: tuple[Finding, ...] = ()


def select_device(
    machine: Machine,
    request: DeviceRequest,
    *,
    task: Task = "train",
    saved_device: SavedDevice | None = None,
    assess: Assess = assess,
) -> SelectedDevice:
    """The device to use.

    Raises:
        NoDeviceError: the device that was demanded is not there, its driver is too old, or it cannot do this task.
        NoKernelsError: it is there, and this torch has no kernels for it.
    """
    if request.kind == "cpu":
        return SelectedDevice(device=Setting(value=CPU, reason=f"asked for by {request.said}", source=request.source))
    if request.kind == "auto":
        return _automatic(machine, assess, task, saved_device)
    gpu = requested_gpu(machine, request, lambda gpu: unsupported(gpu, machine, assess, task) is None)
    wrong = not_found(machine, request) if gpu is None else unsupported(gpu, machine, assess, task)
    if wrong is None and gpu is not None:
        return _taken(gpu, machine, assess, f"asked for by {request.said}", source=request.source, findings=())
    assert wrong is not None  # no GPU is always wrong
    if request.fallback == "end":
        raise wrong
    found = Finding(problem=f"{request.said}: {wrong.problem}", remedy=wrong.remedy, severity="warning")
    if request.fallback == "auto":
        instead = _automatic(machine, assess, task, saved_device)
        return SelectedDevice(device=instead.device, gpu=instead.gpu, findings=(found, *instead.findings))
    reason = f"{request.said} cannot be had, so the CPU works: {wrong.problem}"
    return SelectedDevice(device=Setting(value=CPU, reason=reason, source="automatic"), findings=(found,))


def _automatic(machine: Machine, assess: Assess, task: Task, saved_device: SavedDevice | None) -> SelectedDevice:
    if saved_device is not None and saved_device.device == CPU:
        return SelectedDevice(device=Setting(value=CPU, reason=_REMEMBERED, source="automatic"))
    refused = {gpu: wrong for gpu in machine.gpus if (wrong := unsupported(gpu, machine, assess, task)) is not None}
    fit = [gpu for gpu in machine.gpus if gpu not in refused]
    findings = [Finding(problem=wrong.problem, remedy=wrong.remedy, severity="warning") for wrong in refused.values()]
    if saved_device is not None:
        same = find_saved_device(machine, saved_device)
        if same is not None and same not in refused:
            return _taken(
                same,
                machine,
                assess,
                _REMEMBERED,
                source="automatic",
                findings=findings,
            )
        why = "is not here any more" if same is None else "cannot be used now"
        findings.insert(0, _forgotten(saved_device, why))
    if fit:
        gpu = best_gpu(fit, machine)
        others = f"the best of {len(fit)} that can be used" if len(fit) > 1 else "the one GPU that can be used"
        return _taken(gpu, machine, assess, others, source="automatic", findings=findings)
    if not machine.gpus:
        findings.append(_no_gpu(task))
    reason = "; ".join(finding.problem for finding in findings)
    return SelectedDevice(device=Setting(value=CPU, reason=reason, source="automatic"), findings=tuple(findings))


def _taken(
    gpu: Gpu, machine: Machine, assess: Assess, why: str, *, source: Source, findings: Sequence[Finding]
) -> SelectedDevice:
    """A choice of this GPU, with a warning where nobody can say whether this torch runs on it."""
    assessment, said = assess(gpu, machine), list(findings)
    if gpu.kind == "cuda" and assessment.verdict is None:
        problem = f"whether torch runs on {gpu.device} ({gpu.name}) is not known: {assessment.reason}"
        said.append(Finding(problem=problem, remedy=assessment.remedy or "see: voxmatrix doctor", severity="warning"))
    setting = Setting(value=gpu.device, reason=_seen(gpu, why), source=source)
    return SelectedDevice(device=setting, gpu=gpu, findings=tuple(said))


def _forgotten(saved_device: SavedDevice, why: str) -> Finding:
    return Finding(
        problem=f"the remembered {saved_device.device} {why}: decided anew",
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
