"""Faults of the disk in a command that runs once: at each call that may fail, a copy of the process sees it fail.

The copy works in a copy of the working directory, so all paths of the command have to be relative. It has no threads.
"""

import fcntl
import hashlib
import os
import pickle
import shutil
import signal
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.toys.faults import CALLS, Faults

#: A copy that hangs is killed.
_COPY_SECONDS = 300
#: Digests of files by their paths.
State = dict[str, str]


def state(folder: Path) -> State:
    """The content of a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@dataclass
class ForkedFaults(Faults):
    """Lets each chosen call (kind, number, error) fail in a copy of the process; in the process itself none fails."""

    call: str = ""
    chosen: Callable[[str, int, str], bool] = lambda call, number, error: True
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CALLS, 0))
    #: What each copy gave to `end`, or text: how it failed or was killed.
    found: list[Any] = field(default_factory=list)
    case: str = ""  # in a copy
    _report: int = 0

    def happens(self, call: str, path: object) -> None:
        """A call begins."""
        if self.case or not self._is_below(path):
            return
        self.counts[call] += 1
        for error in CALLS[call]:
            if self.chosen(call, self.counts[call], error):
                self._fork(call, error, path)

    def _fork(self, call: str, error: str, path: object) -> None:
        name = Path(f"/proc/self/fd/{path}").readlink() if isinstance(path, int) else path
        case = f"{call} {self.counts[call]}, {error}, {name}"
        place = Path(tempfile.mkdtemp(dir=self.folder.parent))
        read, write = os.pipe()
        child = os.fork()
        if not child:
            signal.alarm(_COPY_SECONDS)
            self.case, self._report, self.error = case, write, error
            _move(self.folder, place)
            self._fail(call, path)
        os.close(write)
        with os.fdopen(read, "rb") as file:
            said = file.read()
        status = os.waitpid(child, 0)[1]
        self.found.append(pickle.loads(said) if said else f"{case}: ended with status {status}")
        shutil.rmtree(place)

    def end(self, found: Callable[[], Any]) -> None:
        """End a copy with what it found; nothing happens in the process itself."""
        if not self.case:
            return
        try:
            said = found()
        except BaseException:
            said = f"{self.case}: {traceback.format_exc()}"
        with os.fdopen(self._report, "wb") as file:
            pickle.dump(said, file)
        os._exit(0)


def _move(folder: Path, place: Path) -> None:
    """Work in a copy of a folder, also with the files that are open."""
    shutil.copytree(folder, place, dirs_exist_ok=True)
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        target = Path(os.path.realpath(descriptor))
        if not target.is_relative_to(folder):
            continue
        number, path = int(descriptor.name), place / target.relative_to(folder)
        copy = os.open(path, fcntl.fcntl(number, fcntl.F_GETFL))
        if path.is_file():
            os.lseek(copy, os.lseek(number, 0, os.SEEK_CUR), os.SEEK_SET)
        os.dup2(copy, number)
        os.close(copy)
    os.chdir(place)
