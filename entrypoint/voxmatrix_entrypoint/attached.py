"""`python -m voxmatrix_entrypoint.attached FOLDER WORDS…`: a command of voxmatrix that does not outlive its starter.

It ends as on SIGTERM when its standard input is closed, as it is when the process that started it dies. It holds the
lock of FOLDER, and first waits for another command that does: one whose starter has died may still be saving its work.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from voxmatrix.errors import InterruptedRunError, UsageError
from voxmatrix.lock import locked
from voxmatrix_entrypoint import __main__ as entrypoint

#: A command that was told to end has this long.
_GRACE_SECONDS = 20.0
_POLL_SECONDS = 0.1


def main() -> None:
    """Run the command line that follows the folder."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    folder = Path(sys.argv.pop(1))
    while True:
        try:
            with locked(folder, "job", "wait until it has ended"):
                entrypoint.main()
        except UsageError:
            time.sleep(_POLL_SECONDS)


def _end_with_input() -> None:
    # os.read, not sys.stdin: its lock would block the end of the interpreter.
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_GRACE_SECONDS)
    os._exit(InterruptedRunError.exit_code)


if __name__ == "__main__":
    main()
