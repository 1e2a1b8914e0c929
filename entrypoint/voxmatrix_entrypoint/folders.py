"""Whether a folder can be written, found out without writing anything."""

import errno
import os
from pathlib import Path

from voxmatrix.files import storage_errors


def check_folder(folder: Path) -> None:
    """Look at the folder, or at the nearest one above it that exists.

    Raises:
        UnreachableError: this user may not write there, or the file system is read-only.
    """
    place = next(each for each in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(each))
    with storage_errors(folder):
        if not os.access(place, os.W_OK | os.X_OK):
            number = errno.EROFS if _is_read_only(place) else errno.EACCES
            raise OSError(number, os.strerror(number))


def _is_read_only(place: Path) -> bool:
    return hasattr(os, "statvfs") and bool(os.statvfs(place).f_flag & os.ST_RDONLY)
