"""`voxmatrix`, `python -m voxmatrix_entrypoint` and `docker run IMAGE`: patch, check, launch."""

import contextlib
import os
import sys

from voxmatrix.errors import InterruptedRunError
from voxmatrix_entrypoint import launch

#: Somebody waits for one sentence, and to free the networks one by one takes 0.06 s.
_SPEAK = ["speak"]


def main() -> None:
    """Run the command line and exit with its exit code."""
    _open_closed_streams()
    words = sys.argv[1:]
    code = launch.launch(words)
    if code == InterruptedRunError.exit_code or words[:1] == _SPEAK:
        _exit_now(code)
    sys.exit(code)


def _open_closed_streams() -> None:
    """Replace standard streams that are closed (`<&-`): else they are None, and files would get their numbers."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        setattr(sys, ("stdin", "stdout", "stderr")[number], os.fdopen(number, "w" if number else "r"))
    os.close(number)


def _exit_now(code: int) -> None:
    """Exit without waiting for threads or freeing memory: what the command keeps is saved.

    After an interruption, threads may compute for long, and the signal may have reached the main thread where
    `threading` or `queue` holds a lock; who needs that lock never ends.
    """
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # its reader is gone
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
