"""Profiles in VOXMATRIX_HOME/profiles, one file a kind of device; and in files that people share."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from voxmatrix.config import home
from voxmatrix.errors import BadInputError, Finding, UsageError
from voxmatrix.files import storage_errors, write_text
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.machine.profiles.profile import Merged, Profile, merge, profiled
from voxmatrix.machine.profiles.profile_file import read_profile_file

_REMEDY = "measure anew: voxmatrix train DATA --out DIR --tune"


@dataclass(frozen=True, kw_only=True)
class LoadedProfiles:
    """Profiles that could be read, and a warning for each that could not."""

    profiles: tuple[Profile, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def one(self) -> Profile | None:
        """The only one, where one was looked for."""
        return self.profiles[0] if self.profiles else None


#: What was measured on a device of a computer; None is its CPU.
ProfileOf = Callable[[Gpu | None, Machine], LoadedProfiles]


def no_profile(gpu: Gpu | None, machine: Machine) -> LoadedProfiles:
    """Nothing was measured."""
    return LoadedProfiles()


def folder() -> Path:
    """Where the profiles of this home lie."""
    return home() / "profiles"


def place(key: str) -> Path:
    """Where the profile of this name lies."""
    return folder() / f"{key}.json"


def profile_of(gpu: Gpu | None, machine: Machine) -> LoadedProfiles:
    """What was measured on devices of this kind. Never fails: a damaged file costs a warning."""
    return _read(_there(profiled(gpu, machine).key))


def all_profiles() -> LoadedProfiles:
    """Every profile of the home."""
    return _read(sorted(folder().glob("*.json")))


def keep(news: Profile) -> Merged:
    """Add these measurements to the profile of the home, whole or not at all.

    Raises:
        UnreachableError: the disk is full or the place cannot be written.
    """
    there = _read(_there(news.key)).one  # a damaged one is replaced
    merged = merge(there or Profile(device=news.device), news.measurements)
    write_profile(merged.profile, place(news.key))
    return merged


def find(key: str) -> Profile:
    """The profile of this name.

    Raises:
        UsageError: there is none of that name.
        BadInputError: it is damaged.
    """
    return _read_one(_known(key))


def write_profile(profile: Profile, path: Path) -> None:
    """The same file for somebody else.

    Raises:
        UnreachableError: the disk is full or the place cannot be written.
    """
    write_text(path, as_text(profile))


def as_text(profile: Profile) -> str:
    """The file of a profile."""
    return json.dumps(profile.to_json(), indent=1) + "\n"


def read_profile(path: Path) -> Profile:
    """What somebody exported; the name of the file says nothing.

    Raises:
        BadInputError: it cannot be read, or a key is missing, unknown or has a value that cannot be true.
    """
    remedy = f"mend that in {path}, or have it written again: voxmatrix profiles export NAME --out FILE"
    return read_profile_file(path, remedy)


def remove(key: str) -> Path:
    """Remove a profile, also one that is damaged.

    Raises:
        UsageError: there is none of that name.
        UnreachableError: the place cannot be written.
    """
    path = _known(key)
    with storage_errors(path):
        path.unlink(missing_ok=True)
    return path


def _known(key: str) -> Path:
    """Only what lies in the folder has a name: no word of a person leads out of it."""
    names = sorted(path.stem for path in folder().glob("*.json") if path.is_file())
    if key not in names:
        there = f"choose one of: {', '.join(names)}" if names else f"there is none at all; {_REMEDY}"
        raise UsageError(f"there is no profile {key!r}", there)
    return place(key)


def _there(key: str) -> list[Path]:
    try:
        return [place(key)] if place(key).is_file() else []
    except OSError:  # a home that this user may not look into
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
        raise BadInputError(f"{path}: is the profile of {read.key}, under another name", _REMEDY)
    return read


def _unreadable(problem: str) -> Finding:
    return Finding(problem=f"a profile is not used: {problem}", remedy=_REMEDY, severity="warning")
