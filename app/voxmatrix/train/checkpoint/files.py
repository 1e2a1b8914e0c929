"""Checkpoint files: write them atomically, and find the newest intact one.

A checkpoint is a zip file of torch in which each record has a CRC-32; `read_checkpoint` verifies them.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, cast

import torch

from voxmatrix.errors import DamagedFileError
from voxmatrix.files import link_target, replacing, storage_errors
from voxmatrix.vits.checkpoint.checkpoint import Checkpoint, read_checkpoint

LAST, BEST = "last.ckpt", "best.ckpt"


def step_name(step: int) -> str:
    """The file name of the checkpoint of a step; names sort in the order of steps."""
    return f"step-{step:09d}.ckpt"


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write a checkpoint atomically.

    Raises:
        UnreachableError: the disk is full or not writable. An existing file at `path` is unchanged.
    """
    with replacing(path) as file:
        writer = _Writer(file)
        try:
            torch.save(dict(content), cast(IO[bytes], writer))
        except RuntimeError:
            # On a full disk torch only reports "unexpected pos": raise the error of the operating system instead.
            if writer.error is not None:
                raise writer.error from None
            raise


def same_file(source: Path, target: Path) -> None:
    """Make `target`, or what it links to, a hard link to `source`, or a copy if the file system has no hard links."""
    source, target = link_target(source), link_target(target)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.link.part")
    with storage_errors(target):
        try:
            temporary.unlink(missing_ok=True)
            os.link(source, temporary)
            temporary.replace(target)
        except OSError:
            with source.open("rb") as original, replacing(target) as copy:
                shutil.copyfileobj(original, copy)
        finally:
            temporary.unlink(missing_ok=True)


def newest_good(folder: Path, warn: Callable[[str], None]) -> tuple[Path, Checkpoint] | None:
    """The newest intact checkpoint, or None if the folder has no checkpoints. Damaged ones are skipped with a warning.

    Raises:
        DamagedFileError: all checkpoints are damaged.
    """
    damaged: list[DamagedFileError] = []
    for path in _candidates(folder):
        try:
            found = path, read_checkpoint(path)
        except DamagedFileError as error:
            damaged.append(error)
            continue
        for skipped in damaged:
            warn(f"{skipped.problem}. Resuming from {path.name}, which is intact")
        return found
    if damaged:
        raise DamagedFileError(
            f"all checkpoints in {folder} are damaged: {'; '.join(bad.problem for bad in damaged)}",
            "add `fresh` to move the old run aside and start again",
        )
    return None


def newest(folder: Path) -> Path | None:
    """The most recently written checkpoint."""
    return next(iter(_candidates(folder)), None)


def keep_newest(folder: Path, count: int) -> None:
    """Remove all but the newest `count` checkpoints of single steps."""
    for path in sorted(folder.glob("step-*.ckpt"))[:-count]:
        path.unlink(missing_ok=True)


def _candidates(folder: Path) -> list[Path]:
    """All checkpoints, most recently written first. Resuming from any of them gives the same voice."""
    steps = sorted(folder.glob("step-*.ckpt"), reverse=True)
    existing = [path for path in (folder / LAST, *steps, folder / BEST) if path.is_file()]
    return sorted(existing, key=lambda path: -path.stat().st_mtime_ns)


class _Writer:
    """A file wrapper that keeps the error of a failed write."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        """Write to the file."""
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()
