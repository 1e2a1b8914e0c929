"""What `train --tune` measured on one kind of device: facts that can be kept and shared. Pure."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from voxmatrix.machine.facts import Capability, Gpu, Machine, printable
from voxmatrix.tables.precision import Precision

FORMAT = 1
_DATE = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
_GIB = 1024
_MOST_LETTERS = 80


@dataclass(frozen=True, kw_only=True)
class ProfiledGpu:
    """A kind of GPU: all cards of this name with so much memory are alike. A slice of one has its own memory."""

    name: str | None = None
    capability: Capability | None = None
    memory_mib: int | None = None

    @property
    def key(self) -> str:
        """The name of its profile; memory in whole GiB, since drivers differ in some MiB."""
        memory = "unknown" if self.memory_mib is None else f"{max(1, round(self.memory_mib / _GIB))}gib"
        return f"{_slug(self.name or 'gpu')}-{memory}"


@dataclass(frozen=True, kw_only=True)
class ProfiledCpu:
    """A CPU of which a process may keep so many busy."""

    name: str | None = None
    cpus: int = field(metadata={"ge": 1, "lt": 2**20})

    @property
    def key(self) -> str:
        """The name of its profile."""
        return f"{_slug(self.name or 'cpu')}-{self.cpus}cpus"


@dataclass(frozen=True, kw_only=True)
class BatchFigures:
    """One batch size that was measured."""

    batch_size: int = field(metadata={"ge": 1, "le": 100_000})
    peak_mib: float = field(metadata={"ge": 1e-6})  # all that the training held of the device at most
    step_seconds: float = field(metadata={"ge": 1e-6})

    @property
    def clips_per_second(self) -> float:
        """Its speed."""
        return self.batch_size / self.step_seconds


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A training in one quality and number format, at several batch sizes, the smallest first."""

    quality: str = field(metadata={"pattern": r"^[a-z0-9_]{1,40}$"})
    precision: Precision
    gradient_checkpointing: bool
    seconds: float = field(metadata={"gt": 0, "le": 3600})  # length of every clip
    sizes: tuple[BatchFigures, ...] = field(metadata={"max_length": 100})
    largest_batch: int = field(metadata={"le": 100_000})  # of those that fit; 0: none did
    torch: str
    voxmatrix: str
    date: str = field(metadata={"pattern": _DATE})  # 2026-11-21

    @property
    def about(self) -> tuple[str, str, bool, str]:
        """What was measured: a later measurement of the same takes its place."""
        return self.quality, self.precision, self.gradient_checkpointing, torch_series(self.torch)


@dataclass(frozen=True, kw_only=True)
class Profile:
    """Everything that was measured on one kind of device."""

    device: ProfiledGpu | ProfiledCpu
    measurements: tuple[Measurement, ...] = ()

    @property
    def key(self) -> str:
        """Its name in the home, in lists and for `profiles remove`."""
        return self.device.key

    def to_json(self) -> dict[str, Any]:
        """The object that `voxmatrix.machine.profiles.store` reads."""
        described = asdict(self.device)
        if isinstance(self.device, ProfiledGpu):
            described["capability"] = None if self.device.capability is None else str(self.device.capability)
        kind = "gpu" if isinstance(self.device, ProfiledGpu) else "cpu"
        return {"format": FORMAT, kind: described, "measurements": [asdict(each) for each in self.measurements]}


@dataclass(frozen=True, kw_only=True)
class Merged:
    """A profile with more measurements, and what became of each of the new ones."""

    profile: Profile
    added: int = 0
    replaced: int = 0
    left: int = 0  # not newer than what is there


def profiled(gpu: Gpu | None, machine: Machine) -> ProfiledGpu | ProfiledCpu:
    """The kind of device that this one is; None is the CPU."""
    if gpu is None:
        return ProfiledCpu(name=printable(machine.cpu or ""), cpus=machine.cpus)
    # A GPU that does not say its memory shares the computer's.
    memory = machine.memory_mib if gpu.memory_mib is None else gpu.memory_mib
    return ProfiledGpu(name=printable(gpu.name or ""), capability=gpu.capability, memory_mib=memory)


def merge(profile: Profile, news: Iterable[Measurement]) -> Merged:
    """Add measurements; of the same thing the later one stays."""
    kept = {each.about: each for each in profile.measurements}
    added = replaced = left = 0
    for new in news:
        old = kept.get(new.about)
        if old is None:
            added += 1
        elif new == old or new.date < old.date:
            left += 1
            continue
        else:
            replaced += 1
        kept[new.about] = new
    together = tuple(kept[about] for about in sorted(kept))
    return Merged(profile=replace(profile, measurements=together), added=added, replaced=replaced, left=left)


def torch_series(version: str) -> str:
    """2.13 of 2.13.0+cpu: within it, memory does not change."""
    return ".".join(re.split(r"[.+]", version)[:2])


def fitting(sizes: Sequence[BatchFigures], limit_mib: float) -> int:
    """The largest batch that stayed within the limit; 0 when none did."""
    return max((size.batch_size for size in sizes if size.peak_mib <= limit_mib), default=0)


def _slug(name: str) -> str:
    """Letters and digits that every file system takes. What is lost of other alphabets is made up for by a digest."""
    words = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST_LETTERS].strip("-")
    plain = name.isascii() and len(name) <= _MOST_LETTERS and words
    return words if plain else f"{words or 'device'}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"
