"""The frames of an MP3 file, without decoding them: their bit rates."""

import mmap
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from voxmatrix.audio.formats import ID3, id3_bytes

#: Layer III, by the number in the header: of MPEG 1, and of MPEG 2 and 2.5.
_KBIT_1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_KBIT_2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES_HZ = (44100, 48000, 32000)
#: By the number of the version: what the rates are divided by. 1 is none.
_DIVIDED = {3: 1, 2: 2, 0: 4}
#: In the first frame: it describes the others, and holds no sound.
_DESCRIPTION = re.compile(rb"Xing|Info|VBRI")
_DESCRIBED_WITHIN = 40
_ID3 = re.compile(ID3)


def bit_rates(path: Path) -> Counter[int]:
    """How many frames of sound have which bit rate, in kbit/s. Empty for what is no MP3 file of Layer III.

    Raises:
        OSError: it cannot be read.
    """
    if not path.stat().st_size:
        return Counter()
    with path.open("rb") as raw, mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return Counter(kbit for at, kbit in _frames(data) if at is not None)


def _frames(data: mmap.mmap) -> Iterator[tuple[int | None, int]]:
    """Where each frame begins, None for one that describes the others, and its bit rate."""
    at, first = 0, True
    while _ID3.match(data, at):
        at += id3_bytes(data[at : at + 10])
    while 0 <= at <= len(data) - 4:
        found = _frame(data[at : at + 4])
        if found is None:  # tags, or damage: the next place where two frames may begin
            at = _next_frame(data, at + 1)
            continue
        kbit, size = found
        describes = first and _DESCRIPTION.search(data, at, at + _DESCRIBED_WITHIN)
        yield (None if describes else at), kbit
        at, first = at + size, False


def _next_frame(data: mmap.mmap, at: int) -> int:
    """Where a frame begins that is followed by another one, from `at` on; -1 if there is none."""
    while (at := data.find(b"\xff", at)) >= 0:
        found = _frame(data[at : at + 4])
        if found is not None and _frame(data[at + found[1] : at + found[1] + 4]) is not None:
            return at
        at += 1
    return -1


def _frame(header: bytes) -> tuple[int, int] | None:
    """The bit rate of a frame and its length in bytes, by its four first bytes; None: they are not those of one."""
    if len(header) < 4:
        return None
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bits, rate = header[2] >> 4, header[2] >> 2 & 3
    if header[0] != 0xFF or header[1] < 0xE0 or version == 1 or layer != 1 or bits in (0, 15) or rate == 3:
        return None
    kbit = (_KBIT_1 if version == 3 else _KBIT_2)[bits]
    samples = 1152 if version == 3 else 576
    return kbit, samples // 8 * kbit * 1000 * _DIVIDED[version] // _RATES_HZ[rate] + (header[2] >> 1 & 1)
