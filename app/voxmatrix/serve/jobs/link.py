"""Files that belong to several jobs."""

import os
import shutil
from pathlib import Path

from voxmatrix.files import storage_errors


def link(source: Path, target: Path) -> Path:
    """Give a file another path, without copying it where that is possible. Neither is written to afterwards.

    Raises:
        UnreachableError: the disk is full.
    """
    with storage_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(source, target)
        except OSError:  # a file system without links
            shutil.copyfile(source, target)
    return target
