"""Profiles in VOXMATRIX_HOME/profiles, one file per device model, and in exported files."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from voxmatrix.config import home
from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import storage_errors, write_text
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.json_file import read_described
from voxmatrix.machine.profile import Measurement, Merged, Profile, ProfiledCpu, ProfiledGpu, merge, profiled


@dataclass(frozen=True, kw_only=True)
class _ProfileFile:
    format: Literal[1]
    gpu: ProfiledGpu | None = None
    cpu: ProfiledCpu | None = None
    # More than five qualities × three precisions × checkpointing on or off × a few versions of torch.
    measurements: tuple[Measurement, ...] = field(metadata={"max_length": 200})


def read_profile_file(path: Path, remedy: str) -> Profile:
    """The profile in a file.

    Raises:
        BadInputError: the file cannot be read, or a key is missing, unknown or has an impossible value.
    """
    file = read_described(path, _ProfileFile, _mistakes, remedy)
    (device,) = (one for one in (file.gpu, file.cpu) if one is not None)
    return merge(Profile(device=device), file.measurements).profile


def _mistakes(file: _ProfileFile) -> Iterator[str]:
    if (file.gpu is None) == (file.cpu is None):
        yield "must have exactly one of gpu and cpu"
    for index, measurement in enumerate(file.measurements):
        sizes, largest = [size.batch_size for size in measurement.sizes], measurement.largest_batch
        if sizes != sorted(set(sizes)):
            yield f"measurements[{index}] must list its sizes in ascending order, without duplicates"
        if largest and largest not in sizes:
            yield f"measurements[{index}] has a largest_batch of {largest}, which is not among its sizes"


_REMEDY = "measure again: voxmatrix train DATA --out DIR --tune"


@dataclass(frozen=True, kw_only=True)
class LoadedProfiles:
    """The readable profiles, and a warning for each that could not be read."""

    profiles: tuple[Profile, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def one(self) -> Profile | None:
        """The profile of a lookup for one device, if there is one."""
        return self.profiles[0] if self.profiles else None


#: Looks up what was measured on a device of a computer; None is its CPU.
ProfileOf = Callable[[Gpu | None, Machine], LoadedProfiles]


def no_profile(gpu: Gpu | None, machine: Machine) -> LoadedProfiles:
    """A lookup that finds nothing."""
    return LoadedProfiles()


def folder() -> Path:
    """The folder of the profiles."""
    return home() / "profiles"


def place(key: str) -> Path:
    """The path of the profile with this name."""
    return folder() / f"{key}.json"


def profile_of(gpu: Gpu | None, machine: Machine) -> LoadedProfiles:
    """What was measured on this device model. A corrupt file yields a warning, never an error."""
    return _read(_existing(profiled(gpu, machine).key))


def all_profiles() -> LoadedProfiles:
    """All profiles in the home folder."""
    return _read(sorted(folder().glob("*.json")))


def keep(profile: Profile) -> Merged:
    """Merge these measurements into the profile in the home folder, atomically.

    Raises:
        UnreachableError: the disk is full or the path cannot be written.
    """
    existing = _read(_existing(profile.key)).one  # a corrupt one is replaced
    merged = merge(existing or Profile(device=profile.device), profile.measurements)
    write_profile(merged.profile, place(profile.key))
    return merged


def find(key: str) -> Profile:
    """The profile with this name.

    Raises:
        UsageError: there is no such profile.
        BadInputError: it is corrupt.
    """
    return _read_one(_existing_or_raise(key))


def write_profile(profile: Profile, path: Path) -> None:
    """Write a profile to `path`.

    Raises:
        UnreachableError: the disk is full or the path cannot be written.
    """
    write_text(path, as_text(profile))


def as_text(profile: Profile) -> str:
    """The content of a profile's file."""
    return json.dumps(profile.to_json(), indent=1) + "\n"


def read_profile(path: Path) -> Profile:
    """Read an exported profile, under any file name.

    Raises:
        BadInputError: the file cannot be read, or a key is missing, unknown or has an impossible value.
    """
    remedy = f"fix {path}, or export it again: voxmatrix profiles export NAME --out FILE"
    return read_profile_file(path, remedy)


def remove(key: str) -> Path:
    """Remove a profile, even if it is corrupt.

    Raises:
        UsageError: there is no such profile.
        UnreachableError: the file cannot be deleted.
    """
    path = _existing_or_raise(key)
    with storage_errors(path):
        path.unlink(missing_ok=True)
    return path


def _existing_or_raise(key: str) -> Path:
    """Only names listed from the folder are accepted, so that `key` cannot point outside it."""
    names = sorted(path.stem for path in folder().glob("*.json") if path.is_file())
    if key not in names:
        remedy = f"choose one of: {', '.join(names)}" if names else f"there are no profiles; {_REMEDY}"
        raise UsageError(f"there is no profile {key!r}", remedy)
    return place(key)


def _existing(key: str) -> list[Path]:
    try:
        return [place(key)] if place(key).is_file() else []
    except OSError:  # a home folder that this user may not read
        return []


def _read(paths: Iterable[Path]) -> LoadedProfiles:
    profiles, findings = [], []
    for path in paths:
        try:
            profiles.append(_read_one(path))
        except BadInputError as error:
            findings.append(_unreadable(error.problem))
        except OSError as error:
            findings.append(_unreadable(f"{path}: {error.strerror}"))
    return LoadedProfiles(profiles=tuple(profiles), findings=tuple(findings))


def _read_one(path: Path) -> Profile:
    read = read_profile_file(path, _REMEDY)
    if read.key != path.stem:
        raise BadInputError(f"{path}: contains the profile {read.key}, not {path.stem}", _REMEDY)
    return read


def _unreadable(problem: str) -> Finding:
    return Finding(problem=f"a profile is ignored: {problem}", remedy=_REMEDY, severity="warning")
