"""The part of protobuf's wire format that ONNX files use: https://protobuf.dev/programming-guides/encoding/

Importing the package onnx takes longer than reading a voice here, and it copies the weights into memory:
docs/decisions/0010-reading-the-onnx-graph.md.
"""

from collections.abc import Iterator
from mmap import mmap
from typing import NamedTuple

_VARINT, _BYTES = 0, 2
_FIXED_LENGTHS = {1: 8, 5: 4}
_MAX_SHIFT = 63


class Message(NamedTuple):
    """A message, or another value, at `data[start:end]`. Offsets are in bytes, from the start of the file."""

    data: mmap | bytes
    start: int
    end: int

    def fields(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield each field as (number, begin, start, end): `data[begin:end]` is the field, `data[start:end]` its value.

        Plain tuples: a voice has about 25,000 fields, and named tuples would take twice the time.

        Raises:
            ValueError: this is not a message, or it is truncated.
        """
        data, place, end = self
        while place < end:
            begin = place
            tag = data[begin]
            if tag < 0x80:  # the usual case, much faster than a call
                place += 1
            else:
                tag, place = varint(data, begin, end)
            number, wire_type = tag >> 3, tag & 7
            start = place
            if wire_type == _BYTES:
                length, start = varint(data, place, end)
                place = start + length
            elif wire_type == _VARINT:
                _, place = varint(data, place, end)
            elif wire_type in _FIXED_LENGTHS:
                place += _FIXED_LENGTHS[wire_type]
            else:
                raise ValueError(f"wire type {wire_type} at byte {begin:,}")
            if place > end or number == 0:
                raise ValueError(f"the field at byte {begin:,} is truncated or has no number")
            yield number, begin, start, place

    def values(self, field: int) -> Iterator["Message"]:
        """The values of a field."""
        for number, _, start, end in self.fields():
            if number == field:
                yield Message(self.data, start, end)

    def content(self) -> bytes:
        """The bytes of the message."""
        return self.data[self.start : self.end]

    def without(self, *numbers: int) -> bytes:
        """The bytes of the message without these fields."""
        return b"".join(self.data[begin:end] for number, begin, _, end in self.fields() if number not in numbers)

    def text(self, field: int) -> str:
        """The value of a string field, or ""."""
        return next((value.content().decode() for value in self.values(field)), "")

    def ints(self, field: int) -> list[int]:
        """The values of an integer field, packed or not."""
        found = []
        for value in self.values(field):
            place = value.start
            while place < value.end:
                number, place = varint(self.data, place, value.end)
                found.append(number)
        return found


def varint(data: mmap | bytes, place: int, end: int) -> tuple[int, int]:
    """The integer at `place`, and the offset after it.

    Raises:
        ValueError: it does not end before `end`.
    """
    value = shift = 0
    while place < end and shift <= _MAX_SHIFT:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
    raise ValueError(f"the integer before byte {place:,} does not end")


def varint_field(number: int, value: int) -> bytes:
    """An integer field."""
    return _varint(number << 3 | _VARINT) + _varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """A field of bytes: a string or a message."""
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
