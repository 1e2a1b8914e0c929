"""Selection of the device for a task, from the request, the saved device and the usable GPUs, best first. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from voxmatrix.errors import Finding, NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU, SavedDevice, find_saved_device
from voxmatrix.plan.budget import shares_memory
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.driver_state import driver_finding
from voxmatrix.plan.image_advice import OTHER_BUILDS
from voxmatrix.plan.verdict import Assessment, assess
from voxmatrix.settings import Setting, Source
from voxmatrix.tables.training import precision_row

Task = Literal["train", "speak"]
#: The kinds of GPU that each task can use.
USED_BY: dict[Task, tuple[str, ...]] = {
    "train": ("cuda", "rocm", "xpu"),
    "speak": ("cuda", "rocm", "xpu", "directml"),
}
_NO_TRAINING = "torch-directml has no complex numbers (its STFT crashes the process) and no AMP"
Assess = Callable[[Gpu, Machine], Assessment]


def unsupported(gpu: Gpu, machine: Machine, assess: Assess, task: Task) -> NoDeviceError | NoKernelsError | None:
    """The error for a request of this GPU if it does not support the task; None if it does, or may."""
    name = f"{gpu.device} ({gpu.name or 'unnamed GPU'})"
    if task == "train" and gpu.kind == "directml":
        return NoDeviceError(
            f"{name} cannot train a voice: {_NO_TRAINING}", "set `device=cpu`; this GPU can only speak"
        )
    assessment = assess(gpu, machine)
    if (shown := shown_slice(machine)) is not None and gpu.mig and gpu != shown:
        problem = f"{name} is a MIG slice, of which CUDA shows a process only one: {shown.device}"
        return NoDeviceError(problem, f"set CUDA_VISIBLE_DEVICES={gpu.uuid or 'MIG-…'} (see `nvidia-smi -L`)")
    if gpu.kind not in USED_BY[task]:
        return NoDeviceError(f"{name} is of kind {gpu.kind}, which no image supports", assessment.remedy)
    if assessment.verdict == "unsupported":
        return NoKernelsError(f"{name} cannot be used: {assessment.reason}", assessment.remedy)
    if assessment.verdict == "driver-too-old":
        return NoDeviceError(f"{name} cannot be used: {assessment.reason}", assessment.remedy)
    return None  # without a verdict the GPU is tried, and the selection warns


def shown_slice(machine: Machine) -> Gpu | None:
    """The MIG slice that CUDA shows a process: the first (NVIDIA's MIG user guide, "CUDA Device Enumeration").

    A card in MIG mode that has no slices has no memory either.
    """
    slices = [gpu for gpu in machine.gpus if gpu.mig]
    return next((gpu for gpu in slices if gpu.memory_mib is not None), slices[0] if slices else None)


def not_found(machine: Machine, request: DeviceRequest) -> NoDeviceError:
    """The error for a missing GPU, with the available devices."""
    listed = ", ".join(f"{gpu.device} ({gpu.name or 'unnamed GPU'})" for gpu in machine.gpus)
    if (driver := driver_finding(machine)) is not None and request.kind in ("gpu", "cuda"):
        problem, remedy = driver.problem, driver.remedy
    elif listed:
        problem, remedy = f"available: {listed}, cpu", "choose one of these, or set `device=auto`"
    else:
        problem, remedy = "this computer has no GPU", "set `device=cpu` or auto; in a container add --gpus all"
    return NoDeviceError(f"{request.origin}: no such GPU; {problem}", remedy)


_SPEED_ORDER = ("fp32", "fp16", "bf16")


def best_gpu(gpus: Sequence[Gpu], machine: Machine) -> Gpu:
    """The best of one or more GPUs.

    Ranked by precision (tensor cores beat an older card with more memory), free memory, capability, then index.
    """
    return max(
        gpus,
        key=lambda gpu: (gpu.kind == "cuda", _format(gpu), _free(gpu, machine), gpu.capability or (0, 0), -gpu.index),
    )


def requested_gpu(machine: Machine, request: DeviceRequest, is_usable: Callable[[Gpu], bool]) -> Gpu | None:
    """The requested GPU: the best usable match, else the first match (to report its problem); None if none matches."""
    matches = [gpu for gpu in machine.gpus if request.kind in ("auto", "gpu", gpu.kind)]
    if request.index is not None:
        matches = [gpu for gpu in matches if gpu.index == request.index]
    usable = [gpu for gpu in matches if is_usable(gpu)]
    return best_gpu(usable, machine) if usable else next(iter(matches), None)


def _format(gpu: Gpu) -> int:
    row = precision_row(gpu.kind, gpu.capability, gpu.name)
    return _SPEED_ORDER.index(row.precision) if row else -1


def _free(gpu: Gpu, machine: Machine) -> int:
    if shares_memory(gpu):
        return machine.available_mib or machine.memory_mib or 0
    own = gpu.free_mib if gpu.free_mib is not None else gpu.memory_mib
    return own or 0


_SAVED = "saved by `voxmatrix devices select`"


@dataclass(frozen=True, kw_only=True)
class SelectedDevice:
    """The device; `gpu` is None for the CPU. Findings say why a better device is not used."""

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
    """Select the device to use.

    Raises:
        NoDeviceError: the requested device is not available, its driver is too old, or it cannot do this task.
        NoKernelsError: the requested device is available, but this torch has no kernels for it.
    """
    requested = f"requested by {request.origin}"
    if request.kind == "cpu":
        return SelectedDevice(device=Setting(value=CPU, reason=requested, source=request.source))
    if request.kind == "auto":
        return _automatic(machine, assess, task, saved_device)
    gpu = requested_gpu(machine, request, lambda gpu: unsupported(gpu, machine, assess, task) is None)
    error = not_found(machine, request) if gpu is None else unsupported(gpu, machine, assess, task)
    if error is None and gpu is not None:
        return _selected(gpu, machine, assess, requested, source=request.source, findings=())
    assert error is not None  # set whenever there is no GPU
    if request.fallback == "end":
        raise error
    problem = f"{request.origin}: {error.problem.removeprefix(f'{request.origin}: ')}"
    instead = "falling back to the CPU" if request.fallback == "cpu" else "the device is selected automatically"
    finding = Finding(problem=f"{problem}; {instead}", remedy=error.remedy, severity="warning")
    if request.fallback == "auto":
        other = _automatic(machine, assess, task, saved_device)
        return SelectedDevice(device=other.device, gpu=other.gpu, findings=(finding, *other.findings))
    return SelectedDevice(device=Setting(value=CPU, reason=finding.problem, source="automatic"), findings=(finding,))


def _automatic(machine: Machine, assess: Assess, task: Task, saved_device: SavedDevice | None) -> SelectedDevice:
    if saved_device is not None and saved_device.device == CPU:
        return SelectedDevice(device=Setting(value=CPU, reason=_SAVED, source="automatic"))
    hidden = [gpu for gpu in machine.gpus if gpu.mig and gpu != shown_slice(machine)]
    gpus = [gpu for gpu in machine.gpus if gpu not in hidden]
    refused = {gpu: error for gpu in gpus if (error := unsupported(gpu, machine, assess, task)) is not None}
    usable = [gpu for gpu in gpus if gpu not in refused]
    findings = [Finding(problem=error.problem, remedy=error.remedy, severity="warning") for error in refused.values()]
    if saved_device is not None:
        saved = find_saved_device(machine, saved_device)
        if saved is not None and saved not in refused:
            return _selected(saved, machine, assess, _SAVED, source="automatic", findings=findings)
        findings.insert(0, _not_used(saved_device, "is no longer present" if saved is None else "cannot be used now"))
    if usable:
        gpu = best_gpu(usable, machine)
        why = f"the best of {len(usable)} usable GPUs" if len(usable) > 1 else "the only usable GPU"
        findings += _larger_slice(gpu, hidden)
        return _selected(gpu, machine, assess, why, source="automatic", findings=findings)
    if (driver := driver_finding(machine)) is not None:
        findings.append(driver)
    elif not machine.gpus:
        findings.append(_no_gpu(task))
    reason = "; ".join(finding.problem for finding in findings)
    return SelectedDevice(device=Setting(value=CPU, reason=reason, source="automatic"), findings=tuple(findings))


def _selected(
    gpu: Gpu, machine: Machine, assess: Assess, why: str, *, source: Source, findings: Sequence[Finding]
) -> SelectedDevice:
    """Select this GPU, with a warning if it is unknown whether this torch runs on it."""
    assessment = assess(gpu, machine)
    if gpu.kind != "directml" and assessment.verdict is None:
        problem = f"it is not known whether torch runs on {gpu.device} ({gpu.name}): {assessment.reason}"
        remedy = assessment.remedy or "see: voxmatrix doctor"
        findings = [*findings, Finding(problem=problem, remedy=remedy, severity="warning")]
    elif gpu.kind in OTHER_BUILDS:
        problem = f"{gpu.device} ({gpu.name}): {assessment.reason}"
        findings = [*findings, Finding(problem=problem, remedy="test it first: voxmatrix doctor", severity="warning")]
    setting = Setting(value=gpu.device, reason=_reason(gpu, why), source=source)
    return SelectedDevice(device=setting, gpu=gpu, findings=tuple(findings))


def _larger_slice(gpu: Gpu, hidden: Sequence[Gpu]) -> list[Finding]:
    """That another MIG slice has more memory, which nobody uses unless it is named."""
    largest = max(hidden, key=lambda other: other.memory_mib or 0, default=None)
    if not gpu.mig or largest is None or (largest.memory_mib or 0) <= (gpu.memory_mib or 0):
        return []
    return [
        Finding(
            problem=f"{gpu.device} is used, the first MIG slice: CUDA shows a process no other; "
            f"{largest.device} ({largest.name}) has more memory",
            remedy=f"to use that, set CUDA_VISIBLE_DEVICES={largest.uuid or 'MIG-…'} (see `nvidia-smi -L`)",
            severity="warning",
        )
    ]


def _not_used(saved_device: SavedDevice, why: str) -> Finding:
    return Finding(
        problem=f"the saved device {saved_device.device} {why}; the device is selected automatically",
        remedy="select again: voxmatrix devices select --reconfigure",
        severity="warning",
    )


def _no_gpu(task: Task) -> Finding:
    consequence = "training on the CPU is many times slower" if task == "train" else "speaking on the CPU"
    return Finding(
        problem=f"no GPU was found; {consequence}",
        remedy="if this computer has one, install its driver; in a container add --gpus all",
        severity="warning",
    )


def _reason(gpu: Gpu, why: str) -> str:
    capability = f", capability {gpu.capability}" if gpu.capability else ""
    memory = f", {gpu.free_mib} MiB free" if gpu.free_mib is not None else ""
    return f"{gpu.name or 'a GPU without a name'}{capability}{memory}: {why}"
