"""One training to a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voxmatrix.errors import UsageError
from voxmatrix.files import storage_errors


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder and hold it; the lock ends with the process, however it ends.

    Raises:
        UsageError: another process trains there.
    """
    with storage_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / ".lock").open("a")
    with file:
        if not _hold(file.fileno()):
            raise UsageError(f"another training is running in {folder}", "stop it, or choose another --out")
        yield


def _hold(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return True  # Windows: nothing that a crash would release as well
    try:
        # Not flock: its lock is the children's too, and loading workers outlive a killed training by some seconds.
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError:
        return True  # a network file system without locks
    return True
