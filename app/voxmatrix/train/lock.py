"""Allow only one training at a time in a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.files import storage_errors


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Create and lock the folder; the lock is released when the process ends, even if it crashes.

    Raises:
        UsageError: another process has the lock.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("a")
    with file:
        if not _acquire(file.fileno()):
            raise UsageError(f"another training is running in {folder}", "stop it, or choose another --out")
        yield


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
