"""Profiles: what `train --tune` measured on one device model, to be stored and shared. Pure."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from voxmatrix.machine.facts import Capability, Gpu, Machine, clean_text
from voxmatrix.tables.training import Precision

FORMAT = 1
_DATE = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_GIB = 1024
_MAX_SLUG_CHARACTERS = 80


@dataclass(frozen=True, kw_only=True)
class ProfiledGpu:
    """A GPU model: all GPUs with this name and memory are treated alike. A MIG slice counts with its own memory."""

    name: str | None = None
    capability: Capability | None = None
    memory_mib: int | None = None

    @property
    def key(self) -> str:
        """The name of the profile; memory in whole GiB, because drivers differ by a few MiB."""
        memory = "unknown" if self.memory_mib is None else f"{max(1, round(self.memory_mib / _GIB))}gib"
        return f"{_slug(self.name or 'gpu')}-{memory}"


@dataclass(frozen=True, kw_only=True)
class ProfiledCpu:
    """A CPU model with the number of CPUs available to a process."""

    name: str | None = None
    cpus: int = field(metadata={"ge": 1, "lt": 2**20})

    @property
    def key(self) -> str:
        """The name of the profile."""
        return f"{_slug(self.name or 'cpu')}-{self.cpus}cpus"


@dataclass(frozen=True, kw_only=True)
class BatchFigures:
    """The figures of one batch size."""

    batch_size: int = field(metadata={"ge": 1, "le": 100_000})
    peak_mib: float = field(metadata={"ge": 1e-6})  # peak memory of the training on the device
    step_seconds: float = field(metadata={"ge": 1e-6})

    @property
    def clips_per_second(self) -> float:
        """The speed of training with this batch size."""
        return self.batch_size / self.step_seconds


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """Training with one quality and precision at several batch sizes, smallest first."""

    quality: str = field(metadata={"pattern": r"^[a-z0-9_]{1,40}$"})
    precision: Precision
    gradient_checkpointing: bool
    seconds: float = field(metadata={"gt": 0, "le": 3600})  # length of every clip
    sizes: tuple[BatchFigures, ...] = field(metadata={"max_length": 100})
    largest_batch: int = field(metadata={"le": 100_000})  # the largest that fitted; 0: none
    torch: str
    voxmatrix: str
    date: str = field(metadata={"pattern": _DATE})  # 2026-11-21

    @property
    def about(self) -> tuple[str, str, bool, str]:
        """What was measured; a later measurement with the same key replaces this one."""
        return self.quality, self.precision, self.gradient_checkpointing, torch_series(self.torch)

    def speech_per_second(self, batch_size: int) -> float:
        """Seconds of speech that are trained per second, with the measured batch size that is nearest to this one."""
        nearest = min(self.sizes, key=lambda size: abs(size.batch_size - batch_size))
        return nearest.clips_per_second * self.seconds


@dataclass(frozen=True, kw_only=True)
class Profile:
    """All measurements of one device model."""

    device: ProfiledGpu | ProfiledCpu
    measurements: tuple[Measurement, ...] = ()

    @property
    def key(self) -> str:
        """The name of the profile in the home folder and on the command line."""
        return self.device.key

    def latest(self, quality: str, precision: str, *, gradient_checkpointing: bool) -> Measurement | None:
        """The latest measurement of such a training, with any torch."""
        kind = (quality, precision, gradient_checkpointing)
        found = [one for one in self.measurements if one.sizes and one.about[:3] == kind]
        return max(found, key=lambda one: one.date, default=None)

    def to_json(self) -> dict[str, Any]:
        """The object that `read_profile_file` reads."""
        device = asdict(self.device)
        if isinstance(self.device, ProfiledGpu):
            device["capability"] = None if self.device.capability is None else str(self.device.capability)
        kind = "gpu" if isinstance(self.device, ProfiledGpu) else "cpu"
        return {"format": FORMAT, kind: device, "measurements": [asdict(one) for one in self.measurements]}


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A profile after a merge, with the number of new measurements by outcome."""

    profile: Profile
    added: int = 0
    replaced: int = 0
    left: int = 0  # ignored: not newer than the existing measurement


def profiled(gpu: Gpu | None, machine: Machine) -> ProfiledGpu | ProfiledCpu:
    """The device model of this GPU; None is the CPU."""
    if gpu is None:
        return ProfiledCpu(name=clean_text(machine.cpu or ""), cpus=machine.cpus)
    # A GPU that does not report its memory shares the computer's.
    memory = machine.memory_mib if gpu.memory_mib is None else gpu.memory_mib
    return ProfiledGpu(name=clean_text(gpu.name or ""), capability=gpu.capability, memory_mib=memory)


def merge(profile: Profile, measurements: Iterable[Measurement]) -> Merged:
    """Add measurements; of two measurements of the same thing, the later one is kept."""
    kept = {one.about: one for one in profile.measurements}
    added = replaced = left = 0
    for new in measurements:
        old = kept.get(new.about)
        if old is None:
            added += 1
        elif new == old or new.date < old.date:
            left += 1
            continue
        else:
            replaced += 1
        kept[new.about] = new
    merged = replace(profile, measurements=tuple(kept[about] for about in sorted(kept)))
    return Merged(profile=merged, added=added, replaced=replaced, left=left)


def torch_series(version: str) -> str:
    """The series of a torch version, 2.13 for 2.13.0+cpu; memory use does not change within a series."""
    return ".".join(re.split(r"[.+]", version)[:2])


def fitting(sizes: Sequence[BatchFigures], limit_mib: float) -> int:
    """The largest batch that stayed within the limit; 0 if none did."""
    return max((size.batch_size for size in sizes if size.peak_mib <= limit_mib), default=0)


def _slug(name: str) -> str:
    """A file name of ASCII letters and digits; a digest keeps names distinct that lose characters."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MAX_SLUG_CHARACTERS].strip("-")
    plain = name.isascii() and len(name) <= _MAX_SLUG_CHARACTERS and slug
    return slug if plain else f"{slug or 'device'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
