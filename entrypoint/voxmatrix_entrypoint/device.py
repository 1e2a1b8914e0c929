"""Check the device of a command before it reads anything: the plan selects the device, and the doctor assesses it."""

import os
from collections.abc import Callable

from voxmatrix.config import MACHINE_VARIABLE, home
from voxmatrix.doctor.examine import chosen_gpu, try_device
from voxmatrix.doctor.findings import of_system, of_torch
from voxmatrix.doctor.report import assessments_of, make_report
from voxmatrix.doctor.smoke import SmokeResult
from voxmatrix.errors import Finding, MissingProgramError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.device_request import DeviceRequest
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
    """Findings to report before the command starts. Pure.

    Raises:
        NoDeviceError, NoKernelsError: the image is for GPUs but cannot use this one, and no device was requested.
    """
    machine, saved = preflight.machine, preflight.saved_device
    is_deliberate = request.kind != "auto" or (saved is not None and saved.device == CPU)
    if preflight.selected.gpu is not None:
        return tuple(of_system(machine)) if task == "train" else ()
    if machine.image and not is_deliberate:
        _refuse_wrong_image(machine, task)
        return tuple(of_torch(machine))
    return ()


def _refuse_wrong_image(machine: Machine, task: Task) -> None:
    """Raise an error if the image is for GPUs and cannot use the GPU of this computer."""
    gpu = chosen_gpu(machine, assessments_of(machine), "auto")
    error = None if gpu is None else unsupported(gpu, machine, assess, task)
    if error is not None:
        raise type(error)(error.problem, f"{error.remedy}; or set --device cpu to use the CPU")


def try_on(machine: Machine, gpu: Gpu, attempt: Try | None = None) -> None:
    """Run the smoke test on a GPU, unless it has passed before.

    Raises:
        NoKernelsError: an operation fails, or its result is wrong.
        MissingProgramError: torch cannot be imported.
    """
    smoke = attempt(machine, gpu) if attempt else try_device(machine, gpu, home() / "cache")
    report = make_report(machine, gpu, smoke.results)
    worst = next((finding for finding in report.findings if finding.severity == "error"), None)
    if report.exit_code == 0 or worst is None:
        return
    error = MissingProgramError if report.exit_code == MissingProgramError.exit_code else NoKernelsError
    raise error(worst.problem, worst.remedy)
