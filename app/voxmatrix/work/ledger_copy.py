"""Give another job what one has finished."""

import shutil
from collections.abc import Callable
from pathlib import Path

from voxmatrix.files import storage_errors


def copy_ledger(source: Path, target: Path, link: Callable[[Path, Path], object]) -> None:
    """Copy the record of a job that is not running; its audio, which never changes, gets another path by `link`.

    Raises:
        UnreachableError: the disk is full.
    """
    with storage_errors(target):
        target.mkdir(parents=True, exist_ok=True)
        for path in source.glob("audio/*/*.wav"):
            link(path, target / path.relative_to(source))
        for path in source.glob("ledger.sqlite*"):  # and what SQLite had beside it when the job was killed
            shutil.copyfile(path, target / path.name)
