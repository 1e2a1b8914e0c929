"""Read the graph of an ONNX file without its weights.

The package onnx parses a file only with all its weights, which copies them several times: 0.1 s for a voice of 63 MB,
and as much memory. So the large ones are left out of what it is given, and named as values in another file, which is
how ONNX keeps weights outside of a graph. onnxruntime maps them into memory from the file of the voice.
"""

from collections.abc import Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from voxmatrix.inference.onnx_outline import BYTES, GRAPH, fields
from voxmatrix.piper.onnx.graph_edits import leave_outside

#: Smaller weights are read at once.
_MIN_BYTES = 4096
#: Fields of ModelProto, GraphProto and TensorProto: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
_INITIALIZER, _RAW_DATA = 5, 9


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


def _without_weights(data: mmap, location: str) -> Iterator[bytes]:
    """The parts of the model."""
    for number, begin, start, end in fields(data, 0, len(data)):
        if number == GRAPH:
            yield from _field(GRAPH, b"".join(_graph_without_weights(data, start, end, location)))
        else:
            yield data[begin:end]


def _graph_without_weights(data: mmap, place: int, end: int, location: str) -> Iterator[bytes]:
    kept = place
    for number, begin, start, stop in fields(data, place, end):
        if number == _INITIALIZER and stop - start >= _MIN_BYTES:
            yield data[kept:begin]
            yield from _field(_INITIALIZER, b"".join(_tensor_without_weights(data, start, stop, location)))
            kept = stop
    yield data[kept:end]


def _tensor_without_weights(data: mmap, place: int, end: int, location: str) -> Iterator[bytes]:
    from onnx import TensorProto

    outside = TensorProto()
    for number, begin, start, stop in fields(data, place, end):
        if number == _RAW_DATA and stop - start >= _MIN_BYTES:
            leave_outside(outside, location, start, stop - start)
        else:
            yield data[begin:stop]
    yield outside.SerializeToString()  # of fields that occur twice, the last one counts


def _field(number: int, value: bytes) -> tuple[bytes, bytes]:
    """A field of bytes: its begin and its value."""
    begin, length = bytearray([number << 3 | BYTES]), len(value)
    while length > 0x7F:
        begin.append(length & 0x7F | 0x80)
        length >>= 7
    begin.append(length)
    return bytes(begin), value
