"""Write 16-bit samples to a file or a stream, with or without a WAV header."""

import contextlib
import os
import shutil
import struct
from typing import BinaryIO

import numpy as np

from voxmatrix.audio.waves import Samples

#: The length of a stream that has not ended; readers then read to the end of the data.
UNKNOWN = 0xFFFF_FFFF
#: Extensions that are written directly, and whether without a header. Other formats are encoded from WAV.
PLAIN = {".wav": False, ".raw": True, ".pcm": True}
_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")


#: The length of `header`.
HEADER_BYTES = _HEADER.size


def header(rate_hz: int, data_bytes: int | None = None) -> bytes:
    """The 44-byte header of mono 16-bit samples; without a length, that of a stream."""
    known = data_bytes is not None and data_bytes <= UNKNOWN - _HEADER.size
    riff, data = (data_bytes + _HEADER.size - 8, data_bytes) if known and data_bytes is not None else (UNKNOWN, UNKNOWN)
    return _HEADER.pack(b"RIFF", riff, b"WAVE", b"fmt ", 16, 1, 1, rate_hz, 2 * rate_hz, 2, 16, b"data", data)


def pcm(samples: Samples) -> bytes:
    """Samples in -1..1 as little-endian 16-bit integers. Values outside are clipped."""
    return (np.clip(samples, -1.0, 1.0) * np.float32(32767.0)).round().astype("<i2").tobytes()


class WaveFile:
    """A WAV file or stream. `finish` fills in the length, except in a stream."""

    def __init__(self, file: BinaryIO, rate_hz: int, *, raw: bool = False, streamed: bool = False) -> None:
        self._file = file
        self._rate_hz = rate_hz
        self._headed = not raw
        self._streamed = streamed
        self.frames = 0
        if self._headed:
            file.write(header(rate_hz))

    def write(self, samples: Samples) -> None:
        """Append samples, and flush a stream."""
        self._file.write(pcm(samples))
        self.frames += len(samples)
        if self._streamed:
            self._file.flush()

    def pause(self, seconds: float) -> None:
        """Append silence."""
        if seconds > 0:
            self.write(np.zeros(round(seconds * self._rate_hz), np.float32))

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.frames / self._rate_hz

    def append(self, source: BinaryIO) -> None:
        """Append the samples of another file of the same kind."""
        start = source.seek(HEADER_BYTES if self._headed else 0)
        shutil.copyfileobj(source, self._file)
        self.frames += (source.tell() - start) // 2

    def stored(self) -> int:
        """How many samples are in the file, also where the disk has no space for the rest."""
        with contextlib.suppress(OSError):
            self._file.flush()
        return (os.fstat(self._file.fileno()).st_size - (HEADER_BYTES if self._headed else 0)) // 2

    def end_at(self, frames: int) -> None:
        """Remove everything after this many stored samples, and close the file."""
        start = HEADER_BYTES if self._headed else 0
        with os.fdopen(os.dup(self._file.fileno()), "r+b", buffering=0) as file:
            file.truncate(start + 2 * frames)
            if self._headed:
                file.seek(0)
                file.write(header(self._rate_hz, 2 * frames))
        self._file.raw.close()  # type: ignore[attr-defined]  # without what its buffer still holds

    def finish(self) -> None:
        """Complete the header."""
        if self._headed and not self._streamed:
            self._file.seek(0)
            self._file.write(header(self._rate_hz, 2 * self.frames))
