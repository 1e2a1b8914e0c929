"""Check whether a folder can be written and outlives the container, without writing to it."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.errors import Finding, UnreachableError
from voxmatrix.files import nearest_folder, read_text_or_empty, storage_errors


def check_folder(folder: Path) -> None:
    """Check the folder, or its nearest parent that exists.

    Raises:
        UnreachableError: the user has no write permission, the file system is read-only, or a file is in the way.
    """
    existing = nearest_folder(folder)
    if not existing.is_dir():
        raise UnreachableError(
            f"cannot write {folder}: {existing} is not a folder",
            "choose another path, or move that file",
        )
    with storage_errors(folder):
        if not os.access(existing, os.W_OK | os.X_OK):
            number = errno.EROFS if _is_read_only(existing) else errno.EACCES
            raise OSError(number, os.strerror(number))


def _is_read_only(folder: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def lost_with_container(folder: Path, mountinfo: Path = Path("/proc/self/mountinfo")) -> Finding | None:
    """A warning if a folder is not on a mount, or on one in memory: it is deleted together with the container."""
    existing = nearest_folder(folder).resolve()
    mounts = dict(_mounts(read_text_or_empty(mountinfo)))
    mount = next((place for place in (existing, *existing.parents) if place in mounts), None)
    if mount is None or (mount != Path("/") and mounts[mount] != "tmpfs"):
        return None
    return Finding(
        problem=f"{folder} is inside the container, not on a mounted folder: it will be deleted with the container",
        remedy='mount a folder, such as docker run -v "$PWD/data:/data" …, and choose an --out in it',
        severity="warning",
    )


def _mounts(mountinfo: str) -> Iterator[tuple[Path, str]]:
    """Each mount point with the type of its file system (proc_pid_mountinfo(5)); later mounts hide earlier ones."""
    for line in mountinfo.splitlines():
        fields, _, source = line.partition(" - ")
        place = fields.split(" ")[4].encode().decode("unicode_escape").encode("latin-1").decode(errors="replace")
        yield Path(place), source.split(" ")[0]
