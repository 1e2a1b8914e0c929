"""Whether a WAV file is as long as its header promises: libsndfile reads a truncated one without a word."""

import struct
from pathlib import Path
from typing import BinaryIO

#: What a recorder that cannot seek back (a pipe) leaves as length, and what follows from it: no promise was made.
_OPEN_ENDED = 0x7FFF_0000
#: Chunks before the sound; a file with more is not one that a recorder made.
_MAX_CHUNKS = 1000


def missing_seconds(path: Path, container: str) -> float:
    """Seconds that the header of a RIFF file promises and the file does not hold; 0.0 for other containers."""
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
            promised = 0 < length < _OPEN_ENDED and missing > 0 and bytes_per_second > 0
            return missing / bytes_per_second if promised else 0.0
        if name == b"fmt ":
            body = file.read(12)
            if len(body) == 12:
                bytes_per_second = struct.unpack("<8xI", body)[0]
            file.seek(-len(body), 1)
        file.seek(length + length % 2, 1)
    return 0.0
