"""The device of a command, as the plan chooses it and the doctor judges it, before anything is read."""

from collections.abc import Callable

from voxmatrix.config import home
from voxmatrix.doctor.device import chosen_gpu
from voxmatrix.doctor.examine import try_device
from voxmatrix.doctor.findings import of_place, of_torch
from voxmatrix.doctor.report import assessments_of, make_report
from voxmatrix.doctor.smoke import SmokeResult
from voxmatrix.errors import Finding, MissingProgramError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.saved_device import CPU, SavedDevice
from voxmatrix.plan.device_request import DeviceRequest
from voxmatrix.plan.device_selection import select_device
from voxmatrix.plan.device_support import Task, unsupported
from voxmatrix.plan.verdict import assess

Try = Callable[[Machine, Gpu], SmokeResult]


def check_device(
    machine: Machine, wish: DeviceRequest, task: Task, saved: SavedDevice | None
) -> tuple[Gpu | None, tuple[Finding, ...]]:
    """The GPU that will work (None: the CPU), and what should be said about it now. Pure.

    Raises:
        NoDeviceError: the device that was demanded is not there, its driver is too old, or it cannot do this task.
        NoKernelsError: this torch has no kernels for it. In an image also when no device was named.
    """
    gpu = select_device(machine, wish, task=task, saved_device=saved).gpu
    on_purpose = wish.kind != "auto" or (saved is not None and saved.device == CPU)
    if gpu is not None:
        return gpu, tuple(of_place(machine)) if task == "train" else ()
    if machine.image and not on_purpose:
        _refuse_wrong_image(machine, task)
        return None, tuple(of_torch(machine))
    return None, ()


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
