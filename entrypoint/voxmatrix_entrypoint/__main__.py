"""`voxmatrix`, `python -m voxmatrix_entrypoint` and `docker run IMAGE`: patch, check, launch."""

import contextlib
import gc
import os
import sys

from voxmatrix.errors import InterruptedRunError
from voxmatrix_entrypoint import launch

#: Somebody waits for one sentence, and to free the networks one by one takes 0.06 s.
_SPEAK = ["speak"]
#: Objects between two runs of the garbage collector while speaking. The imports alone make so many, and hold them all:
#: with Python's 700, it would look at them dozens of times, which takes 0.02 s.
_OBJECTS = 50_000


def main() -> None:
    """Run the command line and exit with its exit code."""
    _open_closed_streams()
    words = sys.argv[1:]
    if words[:1] == _SPEAK:
        gc.set_threshold(_OBJECTS)
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
