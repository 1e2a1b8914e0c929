"""What commands need besides torch and a device: espeak-ng, ffmpeg, and free space on disk."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.errors import Finding, MissingProgramError
from voxmatrix.files import nearest_folder
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
    return (_phonemes(), _ffmpeg(), *map(_disk, folders.values()))


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
