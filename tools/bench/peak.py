"""The peak memory of a process and its children (Linux)."""

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

#: At a hundredth of a second, reading /proc took more of two CPUs than what was measured.
INTERVAL_SECONDS = 0.1


class Peak(threading.Thread):
    """The peak resident memory of a process tree, sampled every INTERVAL_SECONDS until `stop`."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.mib = 0.0
        self._pid = pid
        self._ended = threading.Event()

    def run(self) -> None:
        """Sample until `stop` is called."""
        while not self._ended.wait(INTERVAL_SECONDS):
            self.mib = max(self.mib, sum(map(_resident_mib, _tree(self._pid))))

    def stop(self) -> None:
        """Stop sampling."""
        self._ended.set()
        self.join()


class MeasuredRun(NamedTuple):
    """What a program has written, how long it took, and its peak memory."""

    output: str
    seconds: float
    peak_mib: float


def run_with_peak(command: Sequence[str]) -> MeasuredRun:
    """Run a program to its end.

    Raises:
        SystemExit: it has failed.
    """
    started = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        peak = Peak(process.pid)
        peak.start()
        output, _ = process.communicate()
        seconds = time.perf_counter() - started
        peak.stop()
    if process.returncode:
        raise SystemExit(process.returncode)
    return MeasuredRun(output, seconds, peak.mib)


def _tree(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        for thread in Path(f"/proc/{parent}/task").glob("*"):
            try:
                found += map(int, (thread / "children").read_text().split())
            except OSError:  # the thread has ended
                continue
    return found


def _resident_mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError):
        return 0.0
