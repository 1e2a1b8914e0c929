"""Files that outlive a run: written beside their place, flushed, renamed. A reader never sees half a file."""

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from voxmatrix.errors import BadInputError, UnreachableError

_NO_FOLDER = "a file stands where a folder is needed: choose another place, or move that file away"
#: Errors of the operating system that mean "this place cannot be written", each with what mends it.
_REMEDIES = {
    errno.ENOSPC: "free some space there, or choose another place, and run the same command again",
    errno.EDQUOT: "the quota is used up: free some space there and run the same command again",
    errno.EROFS: "the file system is read-only: mount a writable folder there",
    errno.EACCES: 'give this user write access, or in a container add --user "$(id -u):0"',
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _NO_FOLDER,
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EPERM: 'give this user write access, or in a container add --user "$(id -u):0"',
}


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn a full, read-only or forbidden place into UnreachableError (exit 8) that names the place and the mend."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0)
        if remedy is None:
            raise
        raise UnreachableError(f"cannot write {path}: {error.strerror}", remedy) from error


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a binary file that takes the place of `path` when the block ends well, and vanishes when it does not.

    Raises:
        UnreachableError: the disk is full or the place cannot be written. What was at `path` is untouched.
    """
    beside = unfinished(path, os.getpid())
    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with beside.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def unfinished(path: Path, pid: int) -> Path:
    """What the process of this number writes before it takes the place of `path`; killed, it leaves that behind."""
    return path.with_name(f".{path.name}.{pid}.part")


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text` (UTF-8), whole or not at all."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def read_text_or_empty(path: Path) -> str:
    """The text of a file; empty where it is missing or may not be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def digest(path: Path) -> str:
    """SHA-256 of a file's bytes, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Turn a file that is missing, a folder or forbidden into BadInputError (exit 3) that names it."""
    try:
        yield
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError) as error:
        raise BadInputError(
            f"cannot read {path}: {error.strerror}", "check the name, and that this user may read it"
        ) from error
