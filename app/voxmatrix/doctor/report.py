"""The report: facts, verdicts, smoke test results, findings, what else commands need, and exit code."""

import os
import shlex
import shutil
import stat
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.config import IMAGE_VARIABLE
from voxmatrix.doctor.findings import IMPORT, START, advice, find, start_error
from voxmatrix.doctor.smoke import OperationResult
from voxmatrix.errors import Finding, MemoryExhaustedError, MissingProgramError, NoDeviceError, NoKernelsError
from voxmatrix.files import nearest_folder
from voxmatrix.landlock import landlock_version
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.record import machine_to_json
from voxmatrix.plan.driver_state import OUT_OF_MEMORY, lacks_gpu
from voxmatrix.plan.verdict import Assessment, assess
from voxmatrix.text.phonemes.espeak import espeak_findings, espeak_version

_GIB = 1024**3
#: A run of `medium` keeps three checkpoints of 0.8 GB and a cache of recordings.
MIN_FREE_GIB = 5


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """Something that commands need, and what was found."""

    name: str
    found: str
    findings: tuple[Finding, ...] = ()


def requirements(home: Path) -> tuple[Requirement, ...]:
    """Everything that can be checked on this computer. `home` is the folder for models and caches."""
    folders = {
        nearest_folder(folder).stat().st_dev: folder for folder in (Path.cwd(), home)
    }  # one for each file system
    return (_phonemes(), _ffmpeg(), _landlock(), *map(_disk, folders.values()), _home(home))


def _phonemes() -> Requirement:
    version = espeak_version()
    found = f"espeak-ng {version}" if version else "espeak-ng is not installed"
    return Requirement(name="Phonemes", found=found, findings=tuple(espeak_findings()))


def _ffmpeg() -> Requirement:
    try:
        return Requirement(name="ffmpeg", found=ffmpeg_program())
    except MissingProgramError as error:
        problem = "ffmpeg is not installed: speech can only be written as wav or raw samples"
        finding = Finding(problem=problem, remedy=error.remedy, severity="warning")
        return Requirement(name="ffmpeg", found="not installed", findings=(finding,))


def _landlock() -> Requirement:
    """What limits engines, ffmpeg, espeak-ng, PDFium, Calibre. Nothing fails without it: its absence is no finding."""
    version = landlock_version()
    found = f"Landlock, version {version}" if version else "none (Landlock: Linux 5.13 or newer)"
    return Requirement(name="Limits", found=found)


def _disk(folder: Path) -> Requirement:
    free_gib = shutil.disk_usage(nearest_folder(folder)).free / _GIB
    findings = []
    if not os.access(nearest_folder(folder), os.W_OK | os.X_OK):
        problem = f"{folder} cannot be written: nothing can be saved there"
        remedy = (
            f"give this user write access (ls -ld {nearest_folder(folder)}), or set VOXMATRIX_HOME to another folder"
        )
        findings.append(Finding(problem=problem, remedy=remedy, severity="warning"))
    elif free_gib < MIN_FREE_GIB:
        problem = f"only {free_gib:.1f} GiB are free in {folder}: a training needs up to {MIN_FREE_GIB}"
        remedy = "free some space, or choose folders on another disk (`out`, VOXMATRIX_HOME)"
        findings.append(Finding(problem=problem, remedy=remedy, severity="warning"))
    return Requirement(name="Disk", found=f"{free_gib:.1f} GiB free in {folder}", findings=tuple(findings))


def _home(folder: Path) -> Requirement:
    """Whether other users of this computer can read the home. In a container there are none."""
    if IMAGE_VARIABLE in os.environ or os.name == "nt" or not folder.is_dir() or not _others_may_enter(folder):
        return Requirement(name="Home", found=str(folder))
    mode = f"{stat.S_IMODE(folder.stat().st_mode):o}"
    problem = f"every user of this computer can read {folder} (mode {mode}): recordings, books, and all spoken texts"
    finding = Finding(problem=problem, remedy=f"run: chmod go-rwx {shlex.quote(str(folder))}", severity="warning")
    return Requirement(name="Home", found=f"{folder}, which every user can read", findings=(finding,))


def _others_may_enter(folder: Path) -> bool:
    """Whether those who are neither the owner nor in the group of a folder reach its files, through all its parents."""
    place = folder.resolve()
    return all(each.stat().st_mode & stat.S_IXOTH for each in (place, *place.parents))


#: CUDA's error if a library of torch has no kernels for the GPU.
_NO_KERNELS = "no kernel image is available"
_USE_CPU = "set `device=cpu`, or use another image (see docs/images.md)"


@dataclass(frozen=True, kw_only=True)
class FlashAttention:
    """flash-attn on this computer; `usable` is None if it was not tested."""

    installed: bool
    version: str | None
    usable: bool | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class DoctorReport:
    """The result of `voxmatrix doctor`."""

    machine: Machine
    assessments: tuple[Assessment, ...]  # one per GPU, in the same order
    results: tuple[OperationResult, ...]
    flash: FlashAttention
    findings: tuple[Finding, ...]
    exit_code: int
    needs: tuple[Requirement, ...] = ()  # only of this computer, not of a described one

    def to_json(self) -> dict[str, Any]:
        """The object of `doctor --json`."""
        return {
            "machine": machine_to_json(self.machine),
            "image": self.machine.image,
            "gpus": [
                {"index": gpu.index, **asdict(assessment), "advice": list(advice(gpu, self.machine))}
                for gpu, assessment in zip(self.machine.gpus, self.assessments, strict=True)
            ],
            "smoke": [result.to_json() for result in self.results],
            "flash_attention": asdict(self.flash),
            "findings": [
                {"severity": finding.severity, "problem": finding.problem, "remedy": finding.remedy}
                for finding in self.findings
            ],
            "exit_code": self.exit_code,
        }


def assessments_of(machine: Machine) -> tuple[Assessment, ...]:
    """One assessment per GPU, in the same order."""
    return tuple(assess(gpu, machine) for gpu in machine.gpus)


def make_report(
    machine: Machine,
    chosen: Gpu | None,
    results: Sequence[OperationResult] = (),
    flash: tuple[bool, str] | None = None,
    notes: Sequence[Finding] = (),
    *,
    is_cpu_wanted: bool = True,
) -> DoctorReport:
    """Make the report; `chosen` is the GPU to be used (None: the CPU), `notes` are facts that could not be read.

    Unless the CPU is wanted, it is an error that an image for GPUs has none, and that the driver fails.
    """
    needs_gpu = not is_cpu_wanted and lacks_gpu(machine)
    assessments = tuple(map(partial(_corrected, results), machine.gpus, assessments_of(machine)))
    return DoctorReport(
        machine=machine,
        assessments=assessments,
        results=tuple(results),
        flash=_flash(machine, flash),
        findings=(*find(machine, assessments, results, chosen, needs_gpu=needs_gpu), *notes),
        exit_code=_exit_code(machine, chosen, assessments, results) or (NoDeviceError.exit_code if needs_gpu else 0),
    )


def _corrected(results: Sequence[OperationResult], gpu: Gpu, assessment: Assessment) -> Assessment:
    """Correct the assessment by the smoke test: the tables may not know a GPU, or a library may lack its kernels."""
    ran = [result for result in results if result.gpu == gpu.index]
    failed = next((result for result in ran if not result.ok), None)
    if ran and failed is None and assessment.verdict in ("unsupported", None):
        return replace(assessment, verdict="native", reason="all operations of the smoke test passed", remedy="")
    if failed is not None and failed.op == START:
        error = start_error(failed)
        return replace(assessment, verdict=None, reason=error.problem, remedy=error.remedy)
    if failed is not None and _NO_KERNELS in failed.problem:
        reason = f"{failed.op} in {failed.dtype}: {failed.problem}"
        return replace(assessment, verdict="unsupported", reason=reason, remedy=assessment.remedy or _USE_CPU)
    return assessment


def _exit_code(
    machine: Machine, chosen: Gpu | None, assessments: Sequence[Assessment], results: Sequence[OperationResult]
) -> int:
    if machine.torch is None or any(result.op == IMPORT for result in results):
        return MissingProgramError.exit_code
    not_started = [r for r in results if r.op == START and (chosen is None or r.gpu == chosen.index)]
    if not_started:
        full = all(result.problem == OUT_OF_MEMORY for result in not_started)
        return MemoryExhaustedError.exit_code if full else NoDeviceError.exit_code
    verdict = None if chosen is None else assessments[machine.gpus.index(chosen)].verdict
    if verdict == "unsupported" or any(not result.ok for result in results):
        return NoKernelsError.exit_code
    return NoDeviceError.exit_code if verdict == "driver-too-old" else 0


def _flash(machine: Machine, tested: tuple[bool, str] | None) -> FlashAttention:
    version = machine.flash_attention
    if version is None:
        reason = "not installed; torch's own attention is used"
        return FlashAttention(installed=False, version=None, usable=False, reason=reason)
    usable, reason = tested or (None, "not tested")
    return FlashAttention(installed=True, version=version, usable=usable, reason=reason)
