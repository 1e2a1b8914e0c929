"""`voxmatrix`, `python -m voxmatrix_entrypoint` and `docker run IMAGE`: patch, check, launch."""

import contextlib
import os
import sys

from voxmatrix.errors import InterruptedRunError
from voxmatrix_entrypoint import launch


def main() -> None:
    """Run the command line and exit with its exit code."""
    code = launch.launch(sys.argv[1:])
    if code == InterruptedRunError.exit_code:
        _exit_now(code)
    sys.exit(code)


def _exit_now(code: int) -> None:
    """Exit without waiting for threads: what the command keeps is saved, and they may compute for long.

    A signal can also reach the main thread where `threading` or `queue` holds a lock; who needs that lock never ends.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # its reader is gone
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
