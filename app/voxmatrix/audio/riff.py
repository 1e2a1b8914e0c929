"""Detect truncated WAV files, which libsndfile reads without an error."""

import struct
from pathlib import Path
from typing import BinaryIO

#: A recorder that cannot seek back (in a pipe) leaves a length of at least this: the real one is unknown.
_OPEN_ENDED = 0x7FFF_0000
#: Give up after this many chunks before the sound; no recorder writes that many.
_MAX_CHUNKS = 1000


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
