"""Files that were joined without encoding them again: where each of their pieces begins.

Formats say at their beginning how long the sound is. libsndfile and most players believe it, and read the first piece.
"""

import io
import mmap
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from voxmatrix.audio.checks import AudioError
from voxmatrix.audio.formats import FLAC, ID3, MP3, OGG, W64, WAV, SoundFormat, id3_bytes
from voxmatrix.files import storage_errors

if TYPE_CHECKING:
    import soundfile

#: A decoder has read its file at most this much further than it has used it.
_READ_AHEAD = 1 << 16
#: Less is no sound.
_LEAST_BYTES = 100
#: So many headers of frames in what follows the end of an MP3 are sound, and no picture or tag.
_FRAMES = 2
#: How the sound of a WAV file begins whose length was not known: 0, or as much as can be.
_OPEN_DATA = re.compile(rb"data(?:\0{4}|.{2}\xff[\x7f\xff])", re.DOTALL)
_NO_LENGTH = bytes(4)
_START_BYTES = 200
#: The header of the first frame of a FLAC stream.
_FLAC_FRAME_0 = re.compile(rb"\xff[\xf8\xf9][\x10-\xff][\x00-\xaf]\x00", re.DOTALL)
_MP3_FRAME = re.compile(rb"\xff[\xe2-\xe7\xf2-\xf7\xfa-\xff][\x10-\xef]")
#: Of the third byte of a frame: a file has one sample rate, and may have many bit rates.
_RATE_BITS = 0b1100
_OGG_HEADER = 27
#: libsndfile's length of a file that it does not know is 2**63 - 1.
_UNKNOWN_FRAMES = 2**62
#: Silence in Ogg has more.
_LEAST_BYTES_PER_SECOND = 10
_BLOCK_BYTES = 1 << 20
_ID3 = re.compile(ID3)


def may_have_more(file: io.RawIOBase, form: SoundFormat | None) -> bool:
    """Whether a decoder may have left sound behind, which has read `file` to what it takes for its end.

    Of an ordinary file, at most the end is read again. Something odd at the end, which is no sound, may look like some.
    """
    position = file.tell()
    size = os.fstat(file.fileno()).st_size
    if form is None or size == 0:
        return False
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        start = data[:_START_BYTES]
        is_open = form is WAV and _OPEN_DATA.search(start)
        if is_open or (form is W64 and int.from_bytes(start[16:24], "little") < size):
            return len(_beginnings(data, form)) > 1
        if form is WAV and int.from_bytes(start[4:8], "little") + 8 == size:
            return False  # its header is that of the whole file
        from_ = max(_end_of_start(data, 0, form), position - _READ_AHEAD)
        if form.beginning.search(data, from_):
            return True
        if form is FLAC:
            own = _end_of_start(data, 0, form) >= position - _READ_AHEAD
            return len(list(islice(_FLAC_FRAME_0.finditer(data, from_), 2))) > own
        return form is MP3 and _has_frames(data, position)


def _has_frames(data: mmap.mmap, start: int) -> bool:
    """Whether an MP3 has frames behind `start` like its first one: of that version, layer and sample rate."""
    first = _MP3_FRAME.search(data, _end_of_id3(data, 0))
    if first is None:
        return False
    rates = b"".join(re.escape(bytes([byte])) for byte in range(256) if (byte ^ first[0][2]) & _RATE_BITS == 0)
    like = re.compile(re.escape(first[0][:2]) + b"[" + rates + b"]")
    return len(list(islice(like.finditer(data, start), _FRAMES))) == _FRAMES


def beginnings(path: Path, form: SoundFormat) -> list[int]:
    """Where the pieces of a file begin, in bytes: the first of them at 0. Reads all of it."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return _beginnings(data, form)


def _beginnings(data: mmap.mmap, form: SoundFormat) -> list[int]:
    found, end = [0], _end_of_start(data, 0, form)
    while match := form.beginning.search(data, end):
        end = _end_of_start(data, match.start(), form)
        if len(data) - end >= _LEAST_BYTES:
            found.append(match.start())
    return found


def _end_of_start(data: mmap.mmap, at: int, form: SoundFormat) -> int:
    """The end of all that belongs to the beginning of a piece, and looks like one itself."""
    at = _end_of_id3(data, at)
    if form is OGG:  # all streams of a piece begin before anything else
        while form.beginning.match(data, at):
            segments = data[at + _OGG_HEADER - 1]
            at += _OGG_HEADER + segments + sum(data[at + _OGG_HEADER : at + _OGG_HEADER + segments])
        return at
    match = form.beginning.match(data, at)
    return match.end() if match else at + 1


def _end_of_id3(data: mmap.mmap, at: int) -> int:
    while _ID3.match(data, at):
        at += id3_bytes(data[at : at + 10])
    return at


def header_frames(path: Path, file: "soundfile.SoundFile") -> int | None:
    """The length that the header of an open file gives; None: it gives none, and libsndfile says or guesses any."""
    if file.frames >= _UNKNOWN_FRAMES:
        return None
    if file.format == "OGG" and file.frames / file.samplerate * _LEAST_BYTES_PER_SECOND > path.stat().st_size:
        return None  # the times of joined streams go back
    if file.format == "MP3":
        with path.open("rb") as raw, mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as data:
            first = _MP3_FRAME.search(data, _end_of_id3(data, 0))
            if first is None or not MP3.beginning.match(data, first.start()):
                return None
    return int(file.frames)


def has_no_length(path: Path) -> bool:
    """Whether a WAV file was sent while it was recorded, with the length 0 in its header."""
    with path.open("rb") as file:
        found = _OPEN_DATA.search(file.read(_START_BYTES))
    return found is not None and found[0].endswith(_NO_LENGTH) and path.stat().st_size > found.end()


@contextmanager
def split(path: Path, begins: Sequence[int], work: Path | None = None) -> Iterator[Iterator[Path]]:
    """Yield the pieces of a file that begin there, each as a file that lasts until the next one is asked for.

    `work` is the folder for them; None is that of the system.

    Raises:
        UnreachableError: the disk is full.
    """
    if work is not None:
        with storage_errors(work):
            work.mkdir(parents=True, exist_ok=True)
    number = 0

    def pieces(piece: Path) -> Iterator[Path]:
        nonlocal number
        with path.open("rb") as file:
            for start, end in pairwise([*begins, path.stat().st_size]):
                number += 1
                file.seek(start)
                with storage_errors(piece), piece.open("wb") as out:
                    _copy(file, out, end - start)
                yield piece

    with tempfile.TemporaryDirectory(prefix="voxmatrix-", dir=work) as folder:
        piece = Path(folder, "piece")
        try:
            yield pieces(piece)
        except AudioError as error:
            if number:
                joined = f"{path.name} was joined from {len(begins)} pieces; {piece.name} {number}"
                which = joined if len(begins) > 1 else path.name
                raise AudioError(error.fault, error.problem.replace(piece.name, which, 1), error.remedy) from error
            raise


def _copy(file: BinaryIO, out: BinaryIO, size: int) -> None:
    start = file.read(min(_START_BYTES, size))
    if start.startswith(b"RIFF"):
        start = start.replace(b"data" + _NO_LENGTH, b"data\xff\xff\xff\xff", 1)
    out.write(start)
    left = size - len(start)
    while left > 0 and (block := file.read(min(left, _BLOCK_BYTES))):
        out.write(block)
        left -= len(block)
