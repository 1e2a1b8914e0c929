"""The device of a command, as the plan selects it and the doctor assesses it, before anything is read."""

import os
from collections.abc import Callable

from voxmatrix.config import home
from voxmatrix.doctor.device import chosen_gpu
from voxmatrix.doctor.examine import try_device
from voxmatrix.doctor.findings import of_system, of_torch
from voxmatrix.doctor.preflight import Preflight, run_preflight
from voxmatrix.doctor.report import assessments_of, make_report
from voxmatrix.doctor.smoke import SmokeResult
from voxmatrix.errors import Finding, MissingProgramError, NoKernelsError
from voxmatrix.machine.detect import DESCRIBED
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_support import Task, unsupported
from voxmatrix.plan.verdict import assess

Try = Callable[[Machine, Gpu], SmokeResult]


def check_device(request: DeviceRequest, task: Task) -> tuple[Preflight, tuple[Finding, ...]]:
    """Select the device on this computer, and try it before a training on a GPU in an image.

    Raises:
        As `findings_before` and `try_on`.
    """
    found = run_preflight(request, task)
    findings = findings_before(found, request, task)
    machine, gpu = found.machine, found.selected.gpu
    if task == "train" and gpu is not None and machine.image and DESCRIBED not in os.environ:
        try_on(machine, gpu)
    return found, findings


def findings_before(found: Preflight, request: DeviceRequest, task: Task) -> tuple[Finding, ...]:
    """What should be said now, before the command begins. Pure.

    Raises:
        NoDeviceError, NoKernelsError: no device was named, and the image is for GPUs but cannot use the one here.
    """
    machine, saved = found.machine, found.saved_device
    on_purpose = request.kind != "auto" or (saved is not None and saved.device == CPU)
    if found.selected.gpu is not None:
        return tuple(of_system(machine)) if task == "train" else ()
    if machine.image and not on_purpose:
        _refuse_wrong_image(machine, task)
        return tuple(of_torch(machine))
    return ()


def _refuse_wrong_image(machine: Machine, task: Task) -> None:
    """End where the image is for GPUs and there is one that it cannot use."""
    meant = chosen_gpu(machine, assessments_of(machine), "auto")
    wrong = None if meant is None else unsupported(meant, machine, assess, task)
    if wrong is not None:
        raise type(wrong)(wrong.problem, f"{wrong.remedy}; to go on with the CPU: --device cpu")


def try_on(machine: Machine, gpu: Gpu, attempt: Try | None = None) -> None:
    """Run the smoke test on this GPU; once it has passed, that is remembered.

    Raises:
        NoKernelsError: an operation cannot be computed there, or comes out wrong.
        MissingProgramError: torch cannot be imported.
    """
    smoke = attempt(machine, gpu) if attempt else try_device(machine, gpu, home() / "cache")
    report = make_report(machine, gpu, smoke.results)
    worst = next((finding for finding in report.findings if finding.severity == "error"), None)
    if report.exit_code == 0 or worst is None:
        return
    error = MissingProgramError if report.exit_code == MissingProgramError.exit_code else NoKernelsError
    raise error(worst.problem, worst.remedy)
