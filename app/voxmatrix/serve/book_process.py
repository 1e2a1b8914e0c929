"""Books are read in processes of their own, which hostile ones can do no harm to the server from.

Voices are measured in such a process, too, one after the other, while nobody opens a book: no book waits for that.
"""

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from voxmatrix.book.read.calibre import PROGRAM
from voxmatrix.child_environment import for_voxmatrix
from voxmatrix.compute.child import json_objects
from voxmatrix.config import MESSAGES_VARIABLE, engine_folders, environment, home, voice_folders
from voxmatrix.landlock import Limits, program_files, python_folders
from voxmatrix.processes import EndedError, run
from voxmatrix.serve.errors import ApiError
from voxmatrix.serve.speech.response_stream import ClientDisconnectedError
from voxmatrix.text.phonemes.espeak import LIBRARY_VARIABLE

_SECONDS = 120.0
_MAX_CONCURRENT = 2
_BUSY = {"Retry-After": "10"}
_BOOKS = threading.BoundedSemaphore(_MAX_CONCURRENT)
_VOICES = threading.BoundedSemaphore(1)
#: How soon it is noticed that somebody who waits has left.
_LOOK_SECONDS = 0.1
#: Who opens books one after the other has no use yet for the speed of a voice.
_QUIET_SECONDS = 1.0


class _Reading:
    """The books that are being read now. Whoever computes meanwhile takes the CPUs from them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._ended = -_QUIET_SECONDS

    def __enter__(self) -> None:
        with self._lock:
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._count -= 1
            self._ended = time.monotonic()

    def quiet_seconds(self) -> float:
        """How long none has been read."""
        return 0.0 if self._count else time.monotonic() - self._ended


_READING = _Reading()


def read_book_in_process(
    book: Path, command: str, options: Sequence[str], left: threading.Event | None = None
) -> dict[str, Any]:
    """What `book COMMAND FILE --json` prints. The process has no secrets, and can read and write little.

    Args:
        book: the file.
        command: `inspect` or `cast`.
        options: words behind it.
        left: is set when the client has left; the process is ended, and others get its place.

    Raises:
        ApiError: the book cannot be read, or others are being read.
        ClientDisconnectedError: the client has left.
    """
    book, calibre = book.absolute(), shutil.which(PROGRAM)
    reads = (book, *python_folders(), *(program_files(calibre) if calibre else ()))
    words = ["book", command, str(book), *options]
    unwanted = None if left is None else left.is_set
    with _READING, _place(_BOOKS, "other books are being inspected", left):
        return _printed(words, book, "the book", "file", Limits(reads=reads, devices=True), unwanted)


def measure_in_process(
    voice: Path, is_known: Callable[[], bool], left: threading.Event, closing: threading.Event
) -> None:
    """Let `voices speed` measure a voice, and keep what it finds, unless that is known when others have been measured.

    A book that is opened ends it; it begins anew when no other has been for a moment.

    Args:
        voice: its file.
        is_known: tells whether it has been measured.
        left: is set when the client has left; nothing begins for it then; what has begun is kept.
        closing: is set when the server ends.

    Raises:
        ApiError: the voice cannot speak, or others are being measured.
        ClientDisconnectedError: the client has left.
    """
    cache, espeak = home().absolute() / "cache", environment().get(LIBRARY_VARIABLE)
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    reads = [*python_folders(), voice, Path(f"{voice}.json"), *voice_folders(), *engine_folders(), cache]
    reads += [Path(espeak).absolute().parent] if espeak else []
    limits = Limits(reads=tuple(reads), writes=(cache,), devices=True, network=True)

    def unwanted() -> bool:
        return closing.is_set() or not _READING.quiet_seconds()

    with _place(_VOICES, "other voices are being measured", left):
        while not is_known():
            _wait_for_quiet(left)
            try:
                _printed(["voices", "speed", f"--voice={voice}"], voice, "the voice", "voice", limits, unwanted)
                return
            except ClientDisconnectedError:
                if closing.is_set():
                    raise  # else a book has been opened


def _wait_for_quiet(left: threading.Event) -> None:
    """Until no book has been read for a moment."""
    until = time.monotonic() + _SECONDS
    while _READING.quiet_seconds() < _QUIET_SECONDS:
        if left.wait(_LOOK_SECONDS):
            raise ClientDisconnectedError
        if time.monotonic() > until:
            raise ApiError(429, "books are being opened", code="busy", headers=_BUSY)


@contextmanager
def _place(places: threading.Semaphore, why: str, left: threading.Event | None) -> Iterator[None]:
    """One of these places, as soon as there is one."""
    until = time.monotonic() + _SECONDS / 4
    while not places.acquire(timeout=_LOOK_SECONDS):
        if left is not None and left.is_set():
            raise ClientDisconnectedError
        if time.monotonic() > until:
            raise ApiError(429, why, code="busy", headers=_BUSY)
    try:
        if left is not None and left.is_set():
            raise ClientDisconnectedError
        yield
    finally:
        places.release()


def _printed(  # noqa: PLR0917
    words: Sequence[str], file: Path, what: str, param: str, limits: Limits, unwanted: Callable[[], bool] | None
) -> dict[str, Any]:
    """What a command that reads a file prints with `--json`. Its errors name no path of the file's folder."""
    command = [sys.executable, "-P", "-m", "voxmatrix_entrypoint", *words, "--json"]
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        own = {MESSAGES_VARIABLE: "plain", "VOXMATRIX_HOME": str(home().absolute()), "TMPDIR": folder}
        try:
            done = run(
                command,
                environment={**for_voxmatrix(), **own},
                limits=replace(limits, writes=(Path(folder), *limits.writes)),
                timeout_seconds=_SECONDS,
                unwanted=unwanted,
                stderr=subprocess.DEVNULL,
                cwd=folder,  # not where settings of the server may be
                start_new_session=True,
            )
        except subprocess.TimeoutExpired as error:
            raise ApiError(400, f"{what} takes too long to read", param=param, code="invalid_value") from error
        except EndedError as error:
            raise ClientDisconnectedError from error
    found = list(json_objects(done.stdout.decode("utf-8", "replace")))
    if not found or done.returncode:
        message = str(found[-1].get("problem", "") if found else "") or f"{what} cannot be read"
        raise ApiError(400, message.replace(f"{file.parent}/", ""), param=param, code="invalid_value")
    return found[-1]
