"""Allow only one process at a time to work in a folder."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.files import storage_errors

_NAME = ".lock"
#: What a training says of another one.
TRAINING = ("training", "stop it, or choose another `out`")


@contextmanager
def locked(folder: Path, work: str, remedy: str) -> Iterator[None]:
    """Create and lock the folder; the lock is released when the process ends, even if it crashes.

    `work` says what would be done there twice, e.g. "training", and `remedy` what to do about it.

    Raises:
        UsageError: another process has the lock.
        UnreachableError: the folder cannot be written.
    """
    with storage_errors(folder):
        created = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / _NAME).open("a")
    with file:
        if not _acquire(file.fileno()):
            raise _running(folder, work, remedy)
        try:
            yield
        finally:
            if created:
                _remove_if_empty(folder)


def _remove_if_empty(folder: Path) -> None:
    """Remove a new folder in which nothing was written: what it was for failed before it began."""
    with suppress(OSError):
        if [path.name for path in folder.iterdir()] == [_NAME]:
            (folder / _NAME).unlink()
            folder.rmdir()


def check_unlocked(folder: Path, work: str, remedy: str) -> None:
    """Check, without creating anything, that nobody has the lock of the folder.

    Raises:
        UsageError: another process has it.
    """
    lock = folder / _NAME
    if not lock.is_file():
        return
    with storage_errors(folder), lock.open("a") as file:
        if not _acquire(file.fileno()):
            raise _running(folder, work, remedy)


def _running(folder: Path, work: str, remedy: str) -> UsageError:
    return UsageError(f"another {work} is running in {folder}", remedy)


def _acquire(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return True  # Windows has no lock that a crash releases
    try:
        # Not flock: children inherit its lock, and data loader workers outlive a killed training by some seconds.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # e.g. a network file system without locks
    return True
