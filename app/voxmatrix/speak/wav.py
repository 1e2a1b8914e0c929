"""Write 16-bit samples to a file or a stream, with or without a WAV header."""

import contextlib
import os
import shutil
import struct
from typing import BinaryIO

import numpy as np

from voxmatrix.audio.waves import Samples
from voxmatrix.processes import delaying_signals

#: The length of a stream that has not ended; readers then read to the end of the data.
UNKNOWN = 0xFFFF_FFFF
#: Extensions that are written directly, and whether without a header. Other formats are encoded from WAV.
PLAIN = {".wav": False, ".raw": True, ".pcm": True}
_RIFF = struct.Struct("<4sI4s")
#: The sizes in an RF64 file: of everything behind the first 8 bytes, of the samples, and their number.
_DS64 = struct.Struct("<4sIQQQI")
_FORMAT = struct.Struct("<4sIHHIIHH4sI")
#: The length of `header`, and of that of a file with more than 4 GiB.
HEADER_BYTES = _RIFF.size + _FORMAT.size
LONG_HEADER_BYTES = HEADER_BYTES + _DS64.size
#: Of samples in a file whose header has 4 bytes for that; one less than what means that it is unknown.
MAX_BYTES = UNKNOWN - HEADER_BYTES - 1
_BLOCK_BYTES = 1 << 20


def header(rate_hz: int, data_bytes: int | None = None) -> bytes:
    """The header of mono 16-bit samples; without a length, that of a stream.

    It has 44 bytes; that of more than 4 GiB, about a day of speech, has 80 (RF64, EBU Tech 3306).
    """
    if data_bytes is None:
        return _RIFF.pack(b"RIFF", UNKNOWN, b"WAVE") + _format(rate_hz, UNKNOWN)
    if data_bytes > MAX_BYTES:
        return long_header(rate_hz, data_bytes)
    return _RIFF.pack(b"RIFF", data_bytes + HEADER_BYTES - 8, b"WAVE") + _format(rate_hz, data_bytes)


def long_header(rate_hz: int, data_bytes: int) -> bytes:
    """The header of RF64."""
    sizes = (data_bytes + LONG_HEADER_BYTES - 8, data_bytes, data_bytes // 2)
    ds64 = _DS64.pack(b"ds64", _DS64.size - 8, *sizes, 0)
    return _RIFF.pack(b"RF64", UNKNOWN, b"WAVE") + ds64 + _format(rate_hz, UNKNOWN)


def _format(rate_hz: int, data_bytes: int) -> bytes:
    return _FORMAT.pack(b"fmt ", 16, 1, 1, rate_hz, 2 * rate_hz, 2, 16, b"data", data_bytes)


def seek_samples(file: BinaryIO) -> int:
    """Move to the first sample of a file with one of these headers, and return its place."""
    file.seek(0)
    return file.seek(LONG_HEADER_BYTES if file.read(4) == b"RF64" else HEADER_BYTES)


def pcm(samples: Samples) -> bytes:
    """Samples in -1..1 as little-endian 16-bit integers. Values outside are clipped."""
    return (np.clip(samples, -1.0, 1.0) * np.float32(32767.0)).round().astype("<i2").tobytes()


class WaveFile:
    """A WAV file, which can be read as well, or a stream. `finish` fills in the length, except in a stream."""

    def __init__(self, file: BinaryIO, rate_hz: int, *, raw: bool = False, streamed: bool = False) -> None:
        self._file = file
        self._rate_hz = rate_hz
        self._headed = not raw
        self._start = HEADER_BYTES if self._headed else 0  # of the samples
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
        start = seek_samples(source) if self._headed else source.seek(0)
        shutil.copyfileobj(source, self._file)
        self.frames += (source.tell() - start) // 2

    def stored(self) -> int:
        """How many samples are in the file, also where the disk has no space for the rest."""
        with contextlib.suppress(OSError):
            self._file.flush()
        return (os.fstat(self._file.fileno()).st_size - self._start) // 2

    def end_at(self, frames: int) -> None:
        """Remove everything after this many stored samples, and close the file."""
        with os.fdopen(os.dup(self._file.fileno()), "r+b", buffering=0) as file:
            file.truncate(self._start + 2 * frames)
            self._complete(file, frames)
        self._file.raw.close()  # type: ignore[attr-defined]  # without what its buffer still holds

    def finish(self) -> None:
        """Complete the header."""
        if not self._streamed:
            with delaying_signals():  # samples that are moved by half would be kept
                self._complete(self._file, self.frames)

    def _complete(self, file: BinaryIO, frames: int) -> None:
        """Write the header, and make room for one that is longer than that of the file so far."""
        if not self._headed:
            return
        moved = self._start > HEADER_BYTES
        complete = long_header(self._rate_hz, 2 * frames) if moved else header(self._rate_hz, 2 * frames)
        if len(complete) > self._start:
            _move(file, self._start, len(complete) - self._start)
            self._start = len(complete)
        file.seek(0)
        file.write(complete)


def _move(file: BinaryIO, start: int, by: int) -> None:
    """Move everything behind `start` towards the end, last things first."""
    at = file.seek(0, os.SEEK_END)
    file.write(bytes(by))
    file.flush()  # on a full disk, nothing is moved
    while at > start:
        size = min(_BLOCK_BYTES, at - start)
        at = file.seek(at - size)
        block = file.read(size)
        file.seek(at + by)
        file.write(block)
