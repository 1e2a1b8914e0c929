"""Allow only one training at a time in a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.files import storage_errors

_NAME = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create and lock the folder; the lock is released when the process ends, even if it crashes.

    Raises:
        UsageError: another process has the lock.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / _NAME).open("a")
    with file:
        if not _acquire(file.fileno()):
            raise _running(folder)
        yield


def check_unlocked(folder: Path) -> None:
    """Check, without creating anything, that no training is running in the folder.

    Raises:
        UsageError: another process has the lock.
    """
    lock = folder / _NAME
    if not lock.is_file():
        return
    with storage_errors(folder), lock.open("a") as file:
        if not _acquire(file.fileno()):
            raise _running(folder)


def _running(folder: Path) -> UsageError:
    return UsageError(f"another training is running in {folder}", "stop it, or choose another --out")


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
