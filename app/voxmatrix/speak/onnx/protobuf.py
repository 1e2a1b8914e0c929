"""As much of protobuf's wire format as ONNX files need: https://protobuf.dev/programming-guides/encoding/

The package onnx takes longer to import than this takes to read a voice, and copies the weights into memory:
docs/decisions/0010-reading-the-onnx-graph.md.
"""

from collections.abc import Iterator
from mmap import mmap
from typing import NamedTuple

_VARINT, _BYTES = 0, 2
_FIXED_LENGTHS = {1: 8, 5: 4}
_MOST_SHIFT = 63


class Message(NamedTuple):
    """A message, or another value, at `data[start:end]`. All offsets are bytes into `data`, which is the whole file."""

    data: mmap | bytes
    start: int
    end: int

    def fields(self) -> Iterator[tuple[int, int, int, int]]:
        """Each field as (number, begin, start, end): `data[begin:end]` with its number, `data[start:end]` its value.

        Plain tuples, since a voice has some 25,000 fields and named ones would double the time.

        Raises:
            ValueError: this is no message, or it is cut short.
        """
        data, place, end = self
        while place < end:
            begin = place
            tag = data[begin]
            if tag < 0x80:  # nearly always, and much faster than the call
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
                raise ValueError(f"the field at byte {begin:,} is cut short or has no number")
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
        """The value of a field that holds a string; "" where there is none."""
        return next((value.content().decode() for value in self.values(field)), "")

    def ints(self, field: int) -> list[int]:
        """The values of a field that holds numbers, packed together or one by one."""
        found = []
        for value in self.values(field):
            place = value.start
            while place < value.end:
                number, place = varint(self.data, place, value.end)
                found.append(number)
        return found


def varint(data: mmap | bytes, place: int, end: int) -> tuple[int, int]:
    """The number at `place`, and the offset behind it.

    Raises:
        ValueError: it does not end before `end`.
    """
    value = shift = 0
    while place < end and shift <= _MOST_SHIFT:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
    raise ValueError(f"the number before byte {place:,} does not end")


def varint_field(number: int, value: int) -> bytes:
    """A field that holds a number."""
    return _varint(number << 3 | _VARINT) + _varint(value)


def bytes_field(number: int, value: bytes) -> bytes:
    """A field that holds bytes: a string or a message."""
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
