"""What can be wrong with a sound file: it is missing, unreadable, truncated or empty, or has samples that are none."""

import os
import struct
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.errors import BadInputError

Fault = Literal["missing", "unreadable", "not-finite", "too-short", "too-long"]

#: A recorder that cannot seek back (in a pipe) leaves a length of at least this: the real one is unknown.
_OPEN_ENDED = 0x7FFF_0000
#: Give up after this many chunks before the sound; no recorder writes that many.
_MAX_CHUNKS = 1000
#: Error messages of libsndfile 1.2 and their plain meaning.
_PLAIN_REASONS = {
    "File does not exist or is not a regular file": "it is damaged or not a sound file",
    "Internal error : SF_INFO struct incomplete": "its header is invalid",
    "Format not recognised": "its format is unknown",
}


class AudioError(BadInputError):
    """A recording that cannot be used; `fault` is a stable word for the reason."""

    def __init__(self, fault: Fault, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.fault = fault


class DecodingStoppedError(AudioError):
    """A recording that was opened, and cannot be decoded to its end."""


def check_file(path: Path) -> None:
    """Check that a path can be opened.

    Raises:
        AudioError: it is missing, empty, not a regular file, or not readable.
    """
    try:
        if path.is_dir():
            raise unreadable(path, "it is a folder", "replace it with the recording")
        if not path.exists():
            raise AudioError("missing", f"{path.name} does not exist", "add the recording, or remove its line")
        if not path.is_file():  # reading a pipe or a device could block for ever
            raise unreadable(path, "it is not a regular file", "replace it with the recording")
        size = path.stat().st_size
        if not os.access(path, os.R_OK):
            raise unreadable(path, "this user has no read permission", f"run: chmod a+r {path.name}")
    except OSError as error:
        raise unreadable(path, error.strerror or str(error), "give this user read access") from error
    if size == 0:
        raise unreadable(path, "it is empty (0 bytes)", "record or copy it again")


def check_block(path: Path, block: Samples, start: int, rate_hz: int) -> None:
    """Check the samples (frames, channels) that begin at frame `start`.

    Raises:
        AudioError: one is NaN or infinite.
    """
    finite = np.isfinite(block)
    if not finite.all():
        where = (start + int(np.argmin(finite.all(axis=1)))) / rate_hz
        raise AudioError(
            "not-finite",
            f"{path.name} contains NaN or infinity (first at {where:.2f} s)",
            "export it again as 16 or 24 bits from the program that created it",
        )


def check_complete(path: Path, file: Any, frames: int, promised: int | None) -> None:
    """Check that an open file had as many frames as its header promises, if it does, and any at all.

    Raises:
        AudioError: it is truncated or empty.
    """
    missing = missing_seconds(path, file.format) or max(0, (promised or 0) - frames) / file.samplerate
    if missing > 0 and promised is not None:
        problem = f"it is truncated: {missing:.2f} s of the length in its header are missing"
        raise unreadable(path, problem, "record or copy it again")
    if frames == 0:
        raise AudioError("too-short", f"{path.name} contains no sound (0.00 s)", "record or copy it again")


def missing_seconds(path: Path, container: str) -> float:
    """Seconds missing from a RIFF file compared to the length in its header; 0.0 for other containers."""
    if container not in ("WAV", "WAVEX"):
        return 0.0
    with path.open("rb") as file:
        return _missing(file, path.stat().st_size)


def _missing(file: BinaryIO, size: int) -> float:
    if file.read(4) != b"RIFF" or len(file.read(8)) < 8:
        return 0.0
    bytes_per_second = 0
    for _ in range(_MAX_CHUNKS):
        header = file.read(8)
        if len(header) < 8:
            return 0.0
        name, length = struct.unpack("<4sI", header)
        if name == b"data":
            missing = file.tell() + length - size
            truncated = 0 < length < _OPEN_ENDED and missing > 0 and bytes_per_second > 0
            return missing / bytes_per_second if truncated else 0.0
        if name == b"fmt ":
            body = file.read(12)
            if len(body) == 12:
                bytes_per_second = struct.unpack("<8xI", body)[0]
            file.seek(-len(body), 1)
        file.seek(length + length % 2, 1)
    return 0.0


def is_text(start: bytes) -> bool:
    """Whether a file that begins so is a text."""
    text = start.decode("utf-8", "replace")
    return text.rstrip("\ufffd").replace("\n", " ").replace("\r", " ").replace("\t", " ").isprintable()


def unreadable(path: Path, reason: str, remedy: str) -> AudioError:
    """The error for a file that is damaged, or is no recording."""
    return AudioError("unreadable", f"{path.name} cannot be read: {reason}", remedy)


def plain_reason(error: Exception) -> str:
    """What libsndfile says, in plain words."""
    reason = str(getattr(error, "error_string", None) or error).rstrip(".")
    return next((plain for start, plain in _PLAIN_REASONS.items() if reason.startswith(start)), reason)
