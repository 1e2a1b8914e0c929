"""The outline of an ONNX file: the fields that it consists of, for which only some bytes of it are read."""

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path

from voxmatrix.errors import DamagedFileError

#: The graph in a ModelProto: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
GRAPH = 7
#: How the values of fields are written: https://protobuf.dev/programming-guides/encoding/
_VARINT, BYTES = 0, 2
_FIXED_LENGTHS = {1: 8, 5: 4}
_SHIFTS = range(7, 64, 7)


def check_whole(path: Path) -> None:
    """Check the outline of an ONNX file, for which only some bytes of it are read.

    Raises:
        DamagedFileError: the file is truncated, or not an ONNX file.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            whole = GRAPH in [number for number, _, _, _ in fields(data, 0, len(data))]
    except (ValueError, IndexError):  # also of an empty file
        whole = False
    if not whole:
        raise DamagedFileError(f"{path} is corrupt: it is truncated, or not an ONNX file", "copy or download it again")


def fields(data: mmap, place: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield each field as (number, begin, start, end): `data[begin:end]` is the field, `data[start:end]` its value.

    Raises:
        ValueError: this is not a message, or it is truncated.
    """
    while place < end:
        begin = place
        tag, place = _varint(data, place)
        number, wire_type = tag >> 3, tag & 7
        start = place
        if wire_type == BYTES:
            length, start = _varint(data, place)
            place = start + length
        elif wire_type == _VARINT:
            _, place = _varint(data, place)
        else:
            place += _FIXED_LENGTHS.get(wire_type, end)
        if place > end or number == 0:
            raise ValueError(f"the field at byte {begin:,} is truncated or of no known type")
        yield number, begin, start, place


def _varint(data: mmap, place: int) -> tuple[int, int]:
    """The integer at `place`, and the offset after it.

    Raises:
        ValueError: it does not end.
    """
    value = data[place]
    place += 1
    if value < 0x80:  # the usual case
        return value, place
    value &= 0x7F
    for shift in _SHIFTS:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise ValueError(f"the integer before byte {place:,} does not end")
