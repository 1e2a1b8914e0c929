"""SIGTERM and Ctrl-C: the step is finished and the run saved, within the ten seconds that `docker stop` gives.

A step can take longer than that, and then Python runs no signal handler, because torch does not come back to it. So
the operating system's signal goes through a socket to a thread of its own. When the loop has not answered after some
seconds, that thread saves: between two updates weights do not change, so what it finds is the state after the last
whole step. A second signal ends the process at once.
"""

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

#: How long the loop may take to finish its step; what is left of the ten seconds is for writing the file.
GRACE_SECONDS = 3.0
_EXIT_CODE = 130
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopRequest:
    """Whether somebody asked to stop, and the lock under which the state changes."""

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._answered = threading.Event()
        #: Held while weights change or are saved.
        self.lock = threading.RLock()

    @property
    def asked(self) -> bool:
        """True from the first signal on."""
        return self._asked.is_set()

    def answer(self) -> None:
        """The loop has saved, or saves now under the lock: nobody else has to."""
        self._answered.set()

    @contextmanager
    def listening(self, save_and_say: Callable[[], int], grace_seconds: float = GRACE_SECONDS) -> Iterator[None]:
        """Listen inside the block; when the loop is too slow, `save_and_say` is called and gives the exit code.

        Only the main thread of a program is told of signals: elsewhere this does nothing.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        ours, theirs = socket.socketpair()
        theirs.setblocking(False)
        before = {number: signal.signal(number, _ignore) for number in _SIGNALS}
        old_descriptor = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        watcher = threading.Thread(target=self._watch, args=(ours, save_and_say, grace_seconds), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self.answer()
            signal.set_wakeup_fd(old_descriptor)
            for number, handler in before.items():
                signal.signal(number, handler)
            theirs.close()  # wakes the watcher
            watcher.join()
            ours.close()

    def _watch(self, ours: socket.socket, save_and_say: Callable[[], int], grace_seconds: float) -> None:
        if not _next_signal(ours, None):
            return
        self._asked.set()
        if _next_signal(ours, grace_seconds):
            os._exit(_EXIT_CODE)
        while not self._answered.is_set():
            if self.lock.acquire(timeout=0.1):
                if not self._answered.is_set():
                    os._exit(save_and_say())
                self.lock.release()
            elif _next_signal(ours, 0.1):
                os._exit(_EXIT_CODE)


def quiet_worker(_number: int) -> None:
    """For DataLoader workers: Ctrl-C reaches them too, and it is the main process that answers."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _next_signal(ours: socket.socket, seconds: float | None) -> bool:
    """Wait for a signal: False when none came in time, or when the block has ended."""
    ours.settimeout(seconds)
    try:
        while received := ours.recv(1):
            if received[0] in _SIGNALS:
                return True
    except TimeoutError:
        pass
    return False


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """A handler has to be there, or the signal would end the process; the watcher does the work."""
