"""Check the device of a command before it reads anything: the plan selects the device, and the doctor assesses it."""

import os
from collections.abc import Callable
from dataclasses import replace

from voxmatrix.config import MACHINE_VARIABLE, home
from voxmatrix.doctor.examine import chosen_gpu, try_device
from voxmatrix.doctor.findings import of_system, without_gpu
from voxmatrix.doctor.report import assessments_of, make_report
from voxmatrix.doctor.smoke import SmokeResult
from voxmatrix.errors import Finding, MemoryExhaustedError, MissingProgramError, NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.device_request import DeviceRequest, is_cpu_allowed
from voxmatrix.plan.device_selection import Task, unsupported
from voxmatrix.plan.preflight import Ask, Preflight, run_preflight
from voxmatrix.plan.verdict import assess

Try = Callable[[Machine, Gpu], SmokeResult]


def check_device(request: DeviceRequest, task: Task, ask: Ask | None = None) -> tuple[Preflight, tuple[Finding, ...]]:
    """Select the device, after asking for it if need be, and test it before training on a GPU in an image.

    Raises:
        As `findings_before` and `try_on`.
    """
    preflight = run_preflight(request, task, ask)
    findings = findings_before(preflight, request, task)
    machine, gpu = preflight.machine, preflight.selected.gpu
    if task == "train" and gpu is not None and machine.image and MACHINE_VARIABLE not in os.environ:
        try_on(machine, gpu)
    return preflight, findings


def findings_before(preflight: Preflight, request: DeviceRequest, task: Task) -> tuple[Finding, ...]:
    """Findings to report before the command starts, in addition to those of the selection. Pure.

    Raises:
        NoDeviceError, NoKernelsError: the image is for GPUs but cannot use this one, and no device was requested; or
            it has no GPU to train on, and the CPU was not chosen.
    """
    machine, saved = preflight.machine, preflight.saved_device
    if preflight.selected.gpu is not None:
        return tuple(of_system(machine)) if task == "train" else ()
    if machine.image and not is_cpu_allowed(request, saved) and (task == "train" or request.kind == "auto"):
        _refuse_wrong_image(machine, task)
        if task == "train" and machine.torch and machine.torch.built_for:
            _refuse_cpu(machine, request)
    return ()


def _refuse_cpu(machine: Machine, request: DeviceRequest) -> None:
    """Raise the error for a GPU that is not there: training on the CPU instead takes days."""
    if request.kind != "auto":
        Preflight.on(machine, replace(request, fallback="end"), "train")
    if (absent := without_gpu(machine)) is not None:
        raise NoDeviceError(absent.problem, f"{absent.remedy}; or set --device cpu to train on the CPU")


def _refuse_wrong_image(machine: Machine, task: Task) -> None:
    """Raise an error if the image is for GPUs and cannot use the GPU of this computer."""
    gpu = chosen_gpu(machine, assessments_of(machine), "auto")
    error = None if gpu is None else unsupported(gpu, machine, assess, task)
    if error is not None:
        raise type(error)(error.problem, f"{error.remedy}; or set --device cpu to use the CPU")


def try_on(machine: Machine, gpu: Gpu, attempt: Try | None = None) -> None:
    """Run the smoke test on a GPU, unless it has passed before.

    Raises:
        NoDeviceError: the driver does not let the GPU start.
        NoKernelsError: an operation fails, or its result is wrong.
        MemoryExhaustedError: the memory of the GPU is full.
        MissingProgramError: torch cannot be imported.
    """
    smoke = attempt(machine, gpu) if attempt else try_device(machine, gpu, home() / "cache")
    report = make_report(machine, gpu, smoke.results)
    worst = next((finding for finding in report.findings if finding.severity == "error"), None)
    if report.exit_code == 0 or worst is None:
        return
    kinds = {error.exit_code: error for error in (MemoryExhaustedError, MissingProgramError, NoDeviceError)}
    raise kinds.get(report.exit_code, NoKernelsError)(worst.problem, worst.remedy)
