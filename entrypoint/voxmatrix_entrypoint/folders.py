"""Check whether a folder can be written, without writing to it."""

import errno
import os
from pathlib import Path

from voxmatrix.errors import UnreachableError
from voxmatrix.files import storage_errors


def check_folder(folder: Path) -> None:
    """Check the folder, or its nearest parent that exists.

    Raises:
        UnreachableError: the user has no write permission, the file system is read-only, or a file is in the way.
    """
    existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(path))
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
