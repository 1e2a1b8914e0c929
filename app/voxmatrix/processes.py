"""Child processes: started without Ctrl-C, ended in time, gone with their parent, and how they ended in words."""

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

#: The exit code of a process that Linux ended because the memory ran out.
OUT_OF_MEMORY = -getattr(signal, "SIGKILL", 9)


@contextmanager
def ignoring_ctrl_c() -> Iterator[None]:
    """Processes started in the block ignore Ctrl-C from the beginning (on Windows: a little later)."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def join_or_kill(
    processes: "Sequence[BaseProcess]", grace_seconds: float, kill: "Callable[[BaseProcess], None] | None" = None
) -> None:
    """Wait for processes to exit, and kill those that have not after the time, which is for all together.

    `kill` replaces the method of the process, e.g. by one that kills its children, too.
    """
    until = time.monotonic() + grace_seconds
    for process in processes:
        process.join(max(0.0, until - time.monotonic()))
        if process.is_alive():
            if kill is not None:
                kill(process)
            process.kill()
            process.join()


def kill_group(pid: int) -> None:
    """Kill all processes of a group, where the system has groups."""
    if hasattr(os, "killpg"):
        with suppress(OSError):  # no process leads such a group: it has ended, or has only just started
            os.killpg(pid, signal.SIGKILL)


def die_with_parent() -> None:
    """Kill this process, which multiprocessing has started, at once when its parent is gone.

    Daemonic processes do so only when the parent ends in an orderly way.
    """
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        wait([sentinel])
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    threading.Thread(target=watch, name="parent", daemon=True).start()


def describe_exit(code: int | None) -> str:
    """How a process ended: `exited with code 3`, `was terminated by SIGSEGV`."""
    if code is None or code >= 0:
        return f"exited with code {code}"
    try:
        return f"was terminated by {signal.Signals(-code).name}"
    except ValueError:
        return f"was terminated by signal {-code}"
