"""The report: facts, verdicts, smoke results and findings as one object, with its exit code. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from voxmatrix.doctor.findings import IMPORT, find
from voxmatrix.doctor.smoke import OperationResult
from voxmatrix.errors import Finding, MissingProgramError, NoDeviceError, NoKernelsError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.record import machine_to_json
from voxmatrix.plan.verdict import Assessment, assess

#: How CUDA says that a library of torch lacks kernels for this GPU.
_NO_KERNELS = "no kernel image is available"
_OTHERWISE = "set --device cpu, or use another image: see the list in the README"


@dataclass(frozen=True, kw_only=True)
class FlashAttention:
    """flash-attn on this computer. usable is None where it was not tried."""

    installed: bool
    version: str | None
    usable: bool | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class DoctorReport:
    """All that `voxmatrix doctor` says."""

    machine: Machine
    assessments: tuple[Assessment, ...]  # one for each GPU, in their order
    results: tuple[OperationResult, ...]
    flash: FlashAttention
    findings: tuple[Finding, ...]
    exit_code: int

    def to_json(self) -> dict[str, Any]:
        """The object of `doctor --json`."""
        return {
            "machine": machine_to_json(self.machine),
            "image": self.machine.image,
            "gpus": [
                {"index": gpu.index, **asdict(assessment)}
                for gpu, assessment in zip(self.machine.gpus, self.assessments, strict=True)
            ],
            "smoke": [result.to_json() for result in self.results],
            "flash_attention": asdict(self.flash),
            "findings": [
                {"severity": each.severity, "problem": each.problem, "remedy": each.remedy} for each in self.findings
            ],
            "exit_code": self.exit_code,
        }


def assessments_of(machine: Machine) -> tuple[Assessment, ...]:
    """One for each GPU, in their order."""
    return tuple(assess(gpu, machine) for gpu in machine.gpus)


def make_report(
    machine: Machine,
    chosen: Gpu | None,
    results: Sequence[OperationResult] = (),
    flash: tuple[bool, str] | None = None,
    notes: Sequence[Finding] = (),
) -> DoctorReport:
    """The report on a computer; `chosen` is the GPU that is to work (None: the CPU), `notes` what was not readable."""
    assessments = tuple(map(partial(corrected, results), machine.gpus, assessments_of(machine)))
    return DoctorReport(
        machine=machine,
        assessments=assessments,
        results=tuple(results),
        flash=_flash(machine, flash),
        findings=(*find(machine, assessments, results, chosen), *notes),
        exit_code=_exit_code(machine, chosen, assessments, results),
    )


def corrected(results: Sequence[OperationResult], gpu: Gpu, assessment: Assessment) -> Assessment:
    """What the tables expect, corrected by what really ran: they may not know a GPU, or a library lack its kernels."""
    ran = [result for result in results if result.gpu == gpu.index]
    failed = next((result for result in ran if not result.ok), None)
    if ran and failed is None and assessment.verdict in ("unsupported", None):
        return replace(assessment, verdict="native", reason="every operation of the smoke test ran here", remedy="")
    if failed is not None and _NO_KERNELS in failed.problem:
        reason = f"{failed.op} in {failed.dtype}: {failed.problem}"
        return replace(assessment, verdict="unsupported", reason=reason, remedy=assessment.remedy or _OTHERWISE)
    return assessment


def _exit_code(
    machine: Machine, chosen: Gpu | None, assessments: Sequence[Assessment], results: Sequence[OperationResult]
) -> int:
    if machine.torch is None or any(result.op == IMPORT for result in results):
        return MissingProgramError.exit_code
    verdict = None if chosen is None else assessments[machine.gpus.index(chosen)].verdict
    if verdict == "unsupported" or any(not result.ok for result in results):
        return NoKernelsError.exit_code
    return NoDeviceError.exit_code if verdict == "driver-too-old" else 0


def _flash(machine: Machine, tried: tuple[bool, str] | None) -> FlashAttention:
    version = machine.flash_attention
    if version is None:
        reason = "not installed; torch's own attention is used"
        return FlashAttention(installed=False, version=None, usable=False, reason=reason)
    usable, reason = tried or (None, "not tried")
    return FlashAttention(installed=True, version=version, usable=usable, reason=reason)
