"""The report: facts, verdicts, smoke results and findings as one object, with its exit code. Pure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.doctor.findings import find
from app.doctor.smoke import Result
from app.errors import Finding, MissingProgramError, NoDeviceError, NoKernelsError
from app.machine.facts import Gpu, Machine
from app.machine.record import machine_to_json
from app.plan.verdict import Judgement, judge


@dataclass(frozen=True, kw_only=True)
class Flash:
    """flash-attn on this computer. usable is None where it was not tried."""

    installed: bool
    version: str | None
    usable: bool | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that `voxmatrix doctor` says."""

    machine: Machine
    judgements: tuple[Judgement, ...]  # one for each GPU, in their order
    results: tuple[Result, ...]
    flash: Flash
    findings: tuple[Finding, ...]
    exit_code: int

    def to_json(self) -> dict[str, Any]:
        """The object of `doctor --json`."""
        return {
            "machine": machine_to_json(self.machine),
            "image": self.machine.image,
            "gpus": [
                {"index": gpu.index, **asdict(judged)}
                for gpu, judged in zip(self.machine.gpus, self.judgements, strict=True)
            ],
            "smoke": [result.to_json() for result in self.results],
            "flash_attention": asdict(self.flash),
            "findings": [
                {"severity": each.severity, "problem": each.problem, "remedy": each.remedy} for each in self.findings
            ],
            "exit_code": self.exit_code,
        }


def judgements_of(machine: Machine) -> tuple[Judgement, ...]:
    """One for each GPU, in their order."""
    return tuple(judge(gpu, machine) for gpu in machine.gpus)


def make_report(
    machine: Machine,
    chosen: Gpu | None,
    results: Sequence[Result] = (),
    flash: tuple[bool, str] | None = None,
    notes: Sequence[Finding] = (),
) -> Report:
    """The report on a computer; `chosen` is the GPU that is to work (None: the CPU), `notes` what was not readable."""
    judgements = judgements_of(machine)
    return Report(
        machine=machine,
        judgements=judgements,
        results=tuple(results),
        flash=_flash(machine, flash),
        findings=(*find(machine, judgements, results), *notes),
        exit_code=_exit_code(machine, chosen, results),
    )


def _exit_code(machine: Machine, chosen: Gpu | None, results: Sequence[Result]) -> int:
    if machine.torch is None:
        return MissingProgramError.exit_code
    verdict = None if chosen is None else judge(chosen, machine).verdict
    # What really ran is stronger than what the tables expect.
    if not results and verdict == "unsupported" or any(not result.ok for result in results):
        return NoKernelsError.exit_code
    return NoDeviceError.exit_code if not results and verdict == "driver-too-old" else 0


def _flash(machine: Machine, tried: tuple[bool, str] | None) -> Flash:
    version = machine.flash_attention
    if version is None:
        reason = "not installed; torch's own attention is used"
        return Flash(installed=False, version=None, usable=False, reason=reason)
    usable, reason = tried or (None, "not tried")
    return Flash(installed=True, version=version, usable=usable, reason=reason)
