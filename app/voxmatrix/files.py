"""Atomic writes: to a temporary file beside the target, flushed, then renamed. A reader never sees half a file."""

import errno
import glob
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import IO

from voxmatrix.encoding import CONVERT, not_utf8
from voxmatrix.errors import BadInputError, UnreachableError, UsageError
from voxmatrix.ownership import explain

_NO_FOLDER = "a file is in the way of a folder: choose another path, or move that file"
_AWAY = "check that the disk is connected and its server can be reached, and run the same command again"
_IN_USE = "close the program that uses it, and run the same command again"
_TOO_MANY = "close other programs, or allow more open files with: ulimit -n 4096"
_NO_MEMORY = "close other programs, or allow more memory, and run the same command again"
#: Errors of the operating system, each with its remedy. Any other error of a path has the remedy `_OTHER`.
_REMEDIES = {
    errno.ENOSPC: "free some space there, or choose another path, and run the same command again",
    errno.EDQUOT: "the quota is used up: free some space there and run the same command again",
    errno.EROFS: "the file system is read-only: mount a writable folder there",
    errno.ENOTDIR: _NO_FOLDER,
    errno.EEXIST: _NO_FOLDER,
    errno.ENOENT: "choose another folder",  # /proc takes no files
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EFBIG: "this file system or a limit (ulimit -f) allows no larger files: choose a path on another disk",
    errno.EINVAL: "the file system may not allow this name, e.g. one with a colon: choose another name",
    errno.EIO: "the disk has failed or was removed: check it, or choose a path on another disk",
    errno.ENXIO: _AWAY,
    errno.ENODEV: _AWAY,
    errno.ESTALE: _AWAY,
    errno.ENOTCONN: _AWAY,
    errno.EHOSTDOWN: _AWAY,
    errno.EHOSTUNREACH: _AWAY,
    errno.ETIMEDOUT: _AWAY,
    errno.EBUSY: _IN_USE,
    errno.ETXTBSY: _IN_USE,
    errno.EMFILE: _TOO_MANY,
    errno.ENFILE: _TOO_MANY,
    errno.ENOMEM: _NO_MEMORY,
    errno.EAGAIN: "too many processes are running: close other programs, and run the same command again",
    errno.ELOOP: "its symbolic links lead in a circle: choose another path",
    errno.E2BIG: "a text that was to be passed to another program is too long: shorten it",
}
_OTHER = "check that path and its disk, and run the same command again"
_MISSING = (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)


def is_system_error(error: OSError) -> bool:
    """Whether the operating system has raised this error, about a file or a process: not a network, nor a library."""
    own_numbers = type(error).__module__ == "ssl"  # which is not imported for this
    return (error.errno or 0) > 0 and not own_numbers and not isinstance(error, ConnectionError)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn every error of the system (a full disk, a forbidden path …) into an UnreachableError (exit 8)."""
    try:
        yield
    except OSError as error:
        if not is_system_error(error):
            raise
        if error.errno in (errno.EACCES, errno.EPERM):
            raise _forbidden(path, error) from error
        problem = f"cannot write {path}: {error.strerror}"
        if isinstance(error.filename, str) and not {path, path.parent} & {*Path(error.filename).parents}:
            problem += f" ({error.filename})"  # of another place, which was read for it
        raise UnreachableError(problem, remedy_of(error)) from error


def remedy_of(error: OSError) -> str:
    """What to do about an error of the system."""
    return _REMEDIES.get(error.errno or 0, _OTHER)


def _forbidden(path: Path, error: OSError) -> UnreachableError:
    """The error for a path that this user may not write, about the nearest folder that exists."""
    refused = Path(error.filename) if isinstance(error.filename, str) else path  # e.g. a new file beside `path`
    reason, remedy = explain(nearest_folder(Path(os.path.realpath(refused))))
    return UnreachableError("; ".join(filter(None, (f"cannot write {path}: {error.strerror}", reason))), remedy)


def nearest_folder(path: Path) -> Path:
    """The path itself or its nearest parent that exists."""
    return next(place for place in (path.absolute(), *path.absolute().parents) if os.path.lexists(place))


def check_not_folder(path: Path) -> None:
    """Check that a file can be written to this path, before the work that it is for.

    Raises:
        UsageError: it is a folder, a device or a pipe, or symbolic links that form a loop.
    """
    with storage_errors(path):
        if path.is_dir():
            raise UsageError(f"{path} is a folder", f"choose a file in it, e.g. {path / f'NAME{path.suffix}'}")
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is a device or a pipe: a file cannot replace it", "choose a file")
        link_target(path)


def link_target(path: Path) -> Path:
    """The path to write, rename or replace where `path` may be a symbolic link: that of its target, even if missing.

    Raises:
        UsageError: the links form a loop.
    """
    if not path.is_symlink():
        return path
    target = Path(os.path.realpath(path))
    if target.is_symlink():  # as far as it could be resolved
        raise UsageError(f"{path} is a symbolic link that leads to itself", "remove it, or choose another path")
    return target


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a binary file that replaces `path` when the block succeeds and is deleted when it fails.

    Raises:
        UsageError: the path is a folder, a device or a pipe, or symbolic links that form a loop.
        UnreachableError: the disk is full or the path cannot be written. The file at `path` is unchanged.
    """
    with replacing_path(path) as beside, beside.open("w+b") as file:
        yield file


@contextmanager
def replacing_path(path: Path) -> Iterator[Path]:
    """Like `replacing`, for another program that writes the file: yield the path that it should write to.

    A symbolic link stays, and its target is replaced.

    Raises:
        UsageError: the path is a folder, a device or a pipe, or symbolic links that form a loop.
        UnreachableError: the disk is full or the path cannot be written. The file at `path` is unchanged.
    """
    check_not_folder(path)
    # All who write the same file at the same time have their own: also in containers that share a volume, whose
    # processes have the same numbers.
    target = link_target(path)
    beside = target.with_name(f".{target.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    with storage_errors(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            with storage_errors(path):
                beside.touch()  # the error for a forbidden or full place is ours, not the program's
            yield beside
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            beside.replace(target)
            _flush_folder(target.parent)
        finally:
            beside.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Write the names of a folder to the disk: after a power cut, a renamed file could have its old content again.

    Where that fails, the file is written all the same: Windows opens no folders, and some file systems flush none.
    """
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def remove_unfinished(path: Path, pid: int) -> None:
    """Remove what a killed process has left of the file that would have replaced `path`."""
    path = link_target(path)
    for beside in path.parent.glob(f".{glob.escape(path.name)}.{pid}-*.part"):
        beside.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes have left of files in a folder. Only for the process that has its lock."""
    for beside in folder.glob(".*.part"):
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write `text` (UTF-8) to `path` atomically."""
    with replacing(path) as file:
        file.write(text.encode("utf-8"))


def read_text_or_empty(path: Path) -> str:
    """The text of a file; empty if it is missing or not readable."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def entries(path: Path) -> Iterator[tuple[str, str]]:
    """The lines of a UTF-8 file that are neither blank nor comments (#), each after its place: "FILE, line 3".

    Raises:
        BadInputError: it cannot be read, or is not UTF-8.
    """
    with read_errors(path):
        data = path.read_bytes()
    try:
        lines = data.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path}: {not_utf8(error)}", CONVERT) from error
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith("#"):
            yield f"{path}, line {number}", line.strip()


def digest(path: Path, algorithm: str = "sha256") -> str:
    """The checksum of a file, in hexadecimal."""
    import hashlib  # which loads OpenSSL

    with path.open("rb") as file:
        # It tells apart what is complete from what is not; some systems allow no MD5 for more than that.
        return hashlib.file_digest(file, lambda: hashlib.new(algorithm, usedforsecurity=False)).hexdigest()


def content_digest(path: Path) -> str:
    """`digest` of a file that is read at most once in a process unless it changes."""
    status = path.stat()
    return _remembered_digest(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _remembered_digest(path: Path, _mtime_ns: int, _size: int) -> str:
    return digest(path)


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """Turn a file that is missing, forbidden or a folder into a BadInputError (exit 3).

    Every other error of the system becomes an UnreachableError (exit 8): the file may be whole, and is not reachable.
    """
    try:
        yield
    except OSError as error:
        if not is_system_error(error):
            raise
        problem = f"cannot read {path}: {error.strerror}"
        if error.errno in _MISSING:
            raise BadInputError(problem, "check the path, and that this user may read it") from error
        raise UnreachableError(problem, remedy_of(error)) from error
