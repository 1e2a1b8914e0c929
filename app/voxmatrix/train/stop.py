"""Handle SIGTERM and Ctrl-C: finish the step and save the run, within the ten seconds of `docker stop`.

A step can take longer than that. Python cannot run a signal handler in the meantime, because control is in torch, so
the signal is passed through a socket to a thread. If the loop does not respond within some seconds, that thread saves:
weights only change in an update, so it finds the state after the last complete step. Repeated signals are the same
request: `timeout` and impatient users send several, and none of them may cost the run.
"""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket

#: Time for the loop to finish its step; the rest of the ten seconds is for writing the file.
GRACE_SECONDS = 3.0
#: Signals within this time count as one: `timeout docker run …` sends two, an impatient user more.
REPEAT_SECONDS = 10.0
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class StopRequest:
    """A request to stop by a signal, and the lock under which the state of the run changes."""

    def __init__(self) -> None:
        self._requested = threading.Event()
        self._acknowledged = threading.Event()
        #: Held while weights change or are saved.
        self.lock = threading.RLock()

    @property
    def requested(self) -> bool:
        """Whether a signal was received."""
        return self._requested.is_set()

    def acknowledge(self) -> None:
        """The loop has saved, or saves now under the lock; the watcher need not."""
        self._acknowledged.set()

    @contextmanager
    def listening(self, save_and_report: Callable[[], int], grace_seconds: float = GRACE_SECONDS) -> Iterator[None]:
        """Handle signals inside the block. If the loop is too slow, `save_and_report` is called for the exit code.

        Does nothing outside of the main thread, which alone receives signals.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        import socket

        receiver, sender = socket.socketpair()
        sender.setblocking(False)
        # In this order, so that a signal in between is not lost.
        old_descriptor = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        old_handlers = {number: signal.signal(number, _ignore) for number in _SIGNALS}
        watcher = threading.Thread(target=self._watch, args=(receiver, save_and_report, grace_seconds), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            self.acknowledge()
            signal.set_wakeup_fd(old_descriptor)
            for number, handler in old_handlers.items():
                signal.signal(number, _ignore_for(REPEAT_SECONDS, handler) if self.requested else handler)
            sender.close()  # wakes the watcher
            watcher.join()
            receiver.close()

    def _watch(self, receiver: "socket.socket", save_and_report: Callable[[], int], grace_seconds: float) -> None:
        if not _next_signal(receiver):
            return
        self._requested.set()
        self._acknowledged.wait(grace_seconds)
        with self.lock:
            if not self._acknowledged.is_set():
                os._exit(save_and_report())


def quiet_worker(_number: int) -> None:
    """Initialise a DataLoader worker: it receives Ctrl-C too, but only the main process handles it."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _next_signal(receiver: "socket.socket") -> bool:
    """Wait for a signal; False if the block ends first."""
    while received := receiver.recv(1):
        if received[0] in _SIGNALS:
            return True
    return False


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """A handler without effect, so that the signal does not end the process; the watcher handles it."""


def _ignore_for(seconds: float, handler: Any) -> Callable[[int, FrameType | None], None]:
    """A handler that does nothing for some seconds, and what `handler` does later."""
    until = time.monotonic() + seconds

    def ignore_at_first(number: int, frame: FrameType | None) -> None:
        if time.monotonic() < until:
            return
        signal.signal(number, handler)
        signal.raise_signal(number)

    return ignore_at_first
