"""Why this user may not write a folder, and what to type: its owner, its mode, SELinux, or a rootless container.

Rootless Podman and Docker map users (user_namespaces(7)): whoever starts a container is user 0 in it, and every other
user of the container is one whom the host does not know.
"""

import os
import shlex
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: Engines write their name into it (systemd's Container Interface). Podman with --read-only has no other mark.
ENGINE_VARIABLE = "container"
#: In a user namespace, the owner of all that belongs to somebody who is not in it (user_namespaces(7)).
_OUTSIDE = 65534
_NOT_MAPPED = ["0", "0", "4294967295"]


@dataclass(frozen=True, kw_only=True)
class Process:
    """The user and groups of a process; whether its users are mapped, by Podman, and whether SELinux confines it."""

    user: int
    groups: frozenset[int]
    mapped: bool = False
    podman: bool = False
    selinux: bool = False


def this_process(root: Path = Path("/"), environment: Mapping[str, str] = os.environ) -> Process:
    """This process; `root` is the folder that contains /proc and /run."""
    label = _read(root / "proc/self/attr/current")
    return Process(
        user=os.getuid(),
        groups=frozenset((os.getgid(), *os.getgroups())),
        mapped=_read(root / "proc/self/uid_map").split() not in ([], _NOT_MAPPED),
        podman=environment.get(ENGINE_VARIABLE) == "podman" or (root / "run/.containerenv").exists(),
        selinux=label.count(":") >= 3,  # user:role:type:level; AppArmor writes a name and "(enforce)"
    )


def explain(place: Path, process: Process | None = None) -> tuple[str, str]:
    """What is wrong with a folder or file that exists and may not be written (may be empty), and its remedy.

    `process` is this one unless it is given.
    """
    if not hasattr(os, "getuid"):
        return "", "give this user write access"
    process = process or this_process()
    status = place.stat()
    if _mode_allows(status, process):
        return _protected(place, process)
    owner = status.st_uid
    if owner == process.user:
        return (
            f"{place} is yours, but its mode is {stat.S_IMODE(status.st_mode):o}",
            f"run chmod u+rwX {shlex.quote(str(place))}",
        )
    if process.mapped:
        return _mapped(place, owner, process)
    return (
        f"{place} belongs to user {owner}, and this is user {process.user}",
        f"run sudo chown -R {process.user} on that folder, "
        'or in a container add --user "$(id -u):0" (with Compose: VOXMATRIX_UID=$(id -u))',
    )


def _mapped(place: Path, owner: int, process: Process) -> tuple[str, str]:
    """For a rootless container: `--user "$(id -u):0"` is a stranger there, and so is root of the host."""
    here = f"and this is user {process.user} of a rootless container"
    as_root = "add --user 0:0 (with Compose: VOXMATRIX_UID=0)"
    if owner == _OUTSIDE:
        own = 'on the host run sudo chown -R "$(id -u)" on that folder, as the user who starts the container'
        return f"{place} belongs to a user who is not in the container, {here}", f"{own}, and {as_root}"
    problem = f"{place} belongs to user {owner}, {here}"
    if owner == 0:
        return problem, f"{as_root}: that is the user who starts the container"
    remedy = f"add --user {owner}:0 (with Compose: VOXMATRIX_UID={owner})"
    if process.podman:
        remedy += f", or on the host run podman unshare chown -R 0:0 on that folder, and {as_root}"
    return problem, remedy


def _protected(place: Path, process: Process) -> tuple[str, str]:
    if process.selinux:
        return (
            f"the mode of {place} allows it, so SELinux forbids it, or an access list",
            'in a container mount the folder with :Z, such as -v "$PWD/data:/data:Z"',
        )
    return (
        f"the mode of {place} allows it, so an access list or a protection of the system forbids it",
        "allow this user and program to write there, or choose another path",
    )


def _mode_allows(status: os.stat_result, process: Process) -> bool:
    """Whether the permission bits let this process write a file, or into a folder."""
    shift = 6 if status.st_uid == process.user else 3 if status.st_gid in process.groups else 0
    needed = 0o3 if stat.S_ISDIR(status.st_mode) else 0o2
    return (status.st_mode >> shift) & needed == needed


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:  # attr/current where there is neither SELinux nor AppArmor
        return ""
