"""Checkpoints on disk: whole or not there, checked before they are trusted, the newest good one found.

A checkpoint is torch's zip file, in which every record carries its CRC-32; `read_checkpoint` compares them.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, cast

import torch

from voxmatrix.errors import DamagedFileError
from voxmatrix.files import replacing, storage_errors
from voxmatrix.voice.checkpoint.checkpoint import Checkpoint, read_checkpoint

LAST, BEST = "last.ckpt", "best.ckpt"


def step_name(step: int) -> str:
    """The name of the checkpoint that is kept for a step; names sort as steps do."""
    return f"step-{step:09d}.ckpt"


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Replace `path` by a checkpoint.

    Raises:
        UnreachableError: the disk is full or the place cannot be written. What was at `path` is untouched.
    """
    with replacing(path) as file:
        writer = _Writer(file)
        try:
            torch.save(dict(content), cast(IO[bytes], writer))
        except RuntimeError:
            # torch says "unexpected pos" about a full disk: the operating system's own words are better.
            if writer.error is not None:
                raise writer.error from None
            raise


def same_file(source: Path, target: Path) -> None:
    """Let `target` be `source` under another name, or a copy where the file system has no links."""
    beside = target.with_name(f".{target.name}.{os.getpid()}.link.part")
    with storage_errors(target):
        try:
            beside.unlink(missing_ok=True)
            os.link(source, beside)
            beside.replace(target)
        except OSError:
            with source.open("rb") as read, replacing(target) as written:
                shutil.copyfileobj(read, written)
        finally:
            beside.unlink(missing_ok=True)


def newest_good(folder: Path, warn: Callable[[str], None]) -> tuple[Path, Checkpoint] | None:
    """The checkpoint a run goes on from, or None when the folder holds none. Damaged ones are named and passed over.

    Raises:
        DamagedFileError: there are checkpoints, and every one is damaged.
    """
    damaged: list[DamagedFileError] = []
    for path in _candidates(folder):
        try:
            found = path, read_checkpoint(path)
        except DamagedFileError as error:
            damaged.append(error)
            continue
        for passed_over in damaged:
            warn(f"{passed_over.problem}. Going on from {path.name}, which is whole")
        return found
    if damaged:
        raise DamagedFileError(
            f"no checkpoint in {folder} is whole: {'; '.join(bad.problem for bad in damaged)}",
            "add --fresh to start anew: the old run is moved aside",
        )
    return None


def newest(folder: Path) -> Path | None:
    """The checkpoint that was written last."""
    return next(iter(_candidates(folder)), None)


def keep_newest(folder: Path, count: int) -> None:
    """Remove all but the newest `count` of the checkpoints kept for a step."""
    for path in sorted(folder.glob("step-*.ckpt"))[:-count]:
        path.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what a killed run had half written. Only for the one process that trains in this folder."""
    for path in folder.glob(".*.part"):
        path.unlink(missing_ok=True)


def _candidates(folder: Path) -> list[Path]:
    """The latest written first: whichever it is, going on from there gives the same voice, only sooner or later."""
    kept = sorted(folder.glob("step-*.ckpt"), reverse=True)
    there = [path for path in (folder / LAST, *kept, folder / BEST) if path.is_file()]
    return sorted(there, key=lambda path: -path.stat().st_mtime_ns)


class _Writer:
    """Passes bytes on, and remembers what the operating system said when it could not."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        """As a file does."""
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        """As a file does."""
        self._file.flush()
