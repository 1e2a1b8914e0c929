"""Just enough of protobuf's wire format to take an ONNX file apart without reading its weights.

The package onnx would read all of it into memory, several times, and takes longer to import than a voice to load.
"""

from collections.abc import Iterator
from typing import NamedTuple

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_FIXED = {FIXED64: 8, FIXED32: 4}
_MOST_SHIFT = 63


class Field(NamedTuple):
    """One field of a message: where it begins and where its value lies in the file."""

    number: int
    wire: int
    begin: int
    start: int
    end: int


def fields(data: memoryview, start: int, end: int) -> Iterator[Field]:
    """The fields of the message that lies in `data[start:end]`.

    Raises:
        ValueError: this is no such message, or it is cut short.
    """
    place = start
    while place < end:
        begin = place
        tag = data[place]
        if tag < 0x80:  # nearly always, and four times as fast
            place += 1
        else:
            tag, place = varint(data, place, end)
        number, wire = tag >> 3, tag & 7
        if wire == BYTES:
            length, place = varint(data, place, end)
            value_end = place + length
        elif wire == VARINT:
            _, value_end = varint(data, place, end)
        elif wire in _FIXED:
            value_end = place + _FIXED[wire]
        else:
            raise ValueError(f"wire type {wire} at byte {begin:,}")
        if value_end > end or number == 0:
            raise ValueError(f"a field at byte {begin:,} goes beyond the end")
        yield Field(number, wire, begin, place, value_end)
        place = value_end


def varint(data: memoryview, place: int, end: int) -> tuple[int, int]:
    """The number at `place` and the place behind it."""
    result = shift = 0
    while place < end and shift <= _MOST_SHIFT:
        byte = data[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, place
        shift += 7
    raise ValueError(f"a number at byte {place:,} does not end")


def numbers(data: memoryview, field: Field) -> list[int]:
    """The numbers of a repeated field, packed together or one by one."""
    place, end = field.start, field.end
    found = []
    while place < end:
        value, place = varint(data, place, end)
        found.append(value)
    return found


def number_field(number: int, value: int) -> bytes:
    """A field that holds a number."""
    return _varint(number << 3 | VARINT) + _varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """A field that holds bytes: a text or a message."""
    return _varint(number << 3 | BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
