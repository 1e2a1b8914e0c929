"""Books are read in processes of their own, which hostile ones can do no harm to the server from."""

import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from voxmatrix.book.read.calibre import PROGRAM
from voxmatrix.child_environment import for_voxmatrix
from voxmatrix.compute.child import json_objects
from voxmatrix.config import MESSAGES_VARIABLE, engine_folders, environment, home, voice_folders
from voxmatrix.landlock import Limits, program_files, python_folders
from voxmatrix.processes import run
from voxmatrix.serve.errors import ApiError
from voxmatrix.text.phonemes.espeak import LIBRARY_VARIABLE

_SECONDS = 120.0
_MAX_CONCURRENT = 2
_BUSY = {"Retry-After": "10"}
_SLOTS = threading.BoundedSemaphore(_MAX_CONCURRENT)


def read_book_in_process(book: Path, command: str, options: Sequence[str], voice: Path | None = None) -> dict[str, Any]:
    """What `book COMMAND FILE --json` prints. The process has no secrets, and can read and write little.

    Args:
        book: the file.
        command: `inspect` or `cast`.
        options: words behind it.
        voice: one that is measured.

    Raises:
        ApiError: the book cannot be read, or others are being read.
    """
    if not _SLOTS.acquire(timeout=_SECONDS / 4):
        raise ApiError(429, "other books are being inspected", code="busy", headers=_BUSY)
    try:
        return _read(book.absolute(), command, options, voice)
    finally:
        _SLOTS.release()


def _read(book: Path, command: str, options: Sequence[str], voice: Path | None) -> dict[str, Any]:
    words = [sys.executable, "-P", "-m", "voxmatrix_entrypoint", "book", command, str(book), *options, "--json"]
    with tempfile.TemporaryDirectory(prefix="voxmatrix-", ignore_cleanup_errors=True) as folder:
        own = {MESSAGES_VARIABLE: "plain", "VOXMATRIX_HOME": str(home().absolute()), "TMPDIR": folder}
        try:
            done = run(
                words,
                environment={**for_voxmatrix(), **own},
                limits=_limits(book, voice, Path(folder)),
                timeout_seconds=_SECONDS,
                stderr=subprocess.DEVNULL,
                cwd=folder,  # not where settings of the server may be
            )
        except subprocess.TimeoutExpired as error:
            raise ApiError(400, "the book takes too long to read", param="file", code="invalid_value") from error
    found = list(json_objects(done.stdout.decode("utf-8", "replace")))
    if not found:
        raise ApiError(400, "the book cannot be read", param="file", code="invalid_value")
    if done.returncode:
        message = str(found[-1].get("problem", "the book cannot be read")).replace(f"{book.parent}/", "")
        raise ApiError(400, message, param="file", code="invalid_value")
    return found[-1]


def _limits(book: Path, voice: Path | None, folder: Path) -> Limits:
    """What the process may use: the book and what converts it; and to measure a voice, all that voices need."""
    calibre = shutil.which(PROGRAM)
    reads = [book, *python_folders(), *(program_files(calibre) if calibre else ())]
    if voice is None:
        return Limits(reads=tuple(reads), writes=(folder,), devices=True)
    cache, espeak = home().absolute() / "cache", environment().get(LIBRARY_VARIABLE)
    with suppress(OSError):
        cache.mkdir(parents=True, exist_ok=True)
    reads += [Path(espeak).absolute().parent] if espeak else []
    reads += [voice, Path(f"{voice}.json"), *voice_folders(), *engine_folders(), cache]
    return Limits(reads=tuple(reads), writes=(folder, cache), devices=True, network=True)
