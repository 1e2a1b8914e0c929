"""Read the graph of an ONNX file without its weights.

The package onnx parses a file only with all its weights, which copies them several times: 0.1 s for a voice of 63 MB,
and as much memory. So the large ones are left out of what it is given, and named as values in another file, which is
how ONNX keeps weights outside of a graph. onnxruntime maps them into memory from the file of the voice.
"""

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from voxmatrix.errors import DamagedFileError
from voxmatrix.piper.onnx.graph_edits import leave_outside

#: Smaller weights are read at once.
_MIN_BYTES = 4096
#: Fields of ModelProto, GraphProto and TensorProto: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
_GRAPH, _INITIALIZER, _RAW_DATA = 7, 5, 9
#: How the values of fields are written: https://protobuf.dev/programming-guides/encoding/
_VARINT, _BYTES = 0, 2
_FIXED_LENGTHS = {1: 8, 5: 4}
_SHIFTS = range(7, 64, 7)


def read_model(path: Path) -> Any:
    """The onnx.ModelProto in a file, its large weights left there.

    Raises:
        ValueError: the file is truncated or not an ONNX file.
    """
    import onnx
    from google.protobuf.message import DecodeError

    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        try:
            content = b"".join(_without_weights(data, path.name))
        except (ValueError, IndexError):  # the package onnx decides
            content = data[:]
    try:
        return onnx.ModelProto.FromString(content)
    except DecodeError as error:
        raise ValueError(str(error)) from error


def check_whole(path: Path) -> None:
    """Check the outline of an ONNX file, for which only some bytes of it are read.

    Raises:
        DamagedFileError: the file is truncated, or not an ONNX file.
        OSError: it cannot be read.
    """
    try:
        with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            whole = _GRAPH in [number for number, _, _, _ in _fields(data, 0, len(data))]
    except (ValueError, IndexError):  # also of an empty file
        whole = False
    if not whole:
        raise DamagedFileError(f"{path} is corrupt: it is truncated, or not an ONNX file", "copy or download it again")


def _without_weights(data: mmap, location: str) -> Iterator[bytes]:
    """The parts of the model."""
    for number, begin, start, end in _fields(data, 0, len(data)):
        if number == _GRAPH:
            yield from _field(_GRAPH, b"".join(_graph_without_weights(data, start, end, location)))
        else:
            yield data[begin:end]


def _graph_without_weights(data: mmap, place: int, end: int, location: str) -> Iterator[bytes]:
    kept = place
    for number, begin, start, stop in _fields(data, place, end):
        if number == _INITIALIZER and stop - start >= _MIN_BYTES:
            yield data[kept:begin]
            yield from _field(_INITIALIZER, b"".join(_tensor_without_weights(data, start, stop, location)))
            kept = stop
    yield data[kept:end]


def _tensor_without_weights(data: mmap, place: int, end: int, location: str) -> Iterator[bytes]:
    from onnx import TensorProto

    outside = TensorProto()
    for number, begin, start, stop in _fields(data, place, end):
        if number == _RAW_DATA and stop - start >= _MIN_BYTES:
            leave_outside(outside, location, start, stop - start)
        else:
            yield data[begin:stop]
    yield outside.SerializeToString()  # of fields that occur twice, the last one counts


def _fields(data: mmap, place: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield each field as (number, begin, start, end): `data[begin:end]` is the field, `data[start:end]` its value.

    Raises:
        ValueError: this is not a message, or it is truncated.
    """
    while place < end:
        begin = place
        tag, place = _varint(data, place)
        number, wire_type = tag >> 3, tag & 7
        start = place
        if wire_type == _BYTES:
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


def _field(number: int, value: bytes) -> tuple[bytes, bytes]:
    """A field of bytes: its begin and its value."""
    begin, length = bytearray([number << 3 | _BYTES]), len(value)
    while length > 0x7F:
        begin.append(length & 0x7F | 0x80)
        length >>= 7
    begin.append(length)
    return bytes(begin), value
