"""The wire format is read as protobuf writes it, and nonsense ends in one kind of error."""

import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxmatrix.speak.onnx.protobuf import BYTES, VARINT, bytes_field, fields, number_field, numbers, varint


def read(message: bytes) -> list[tuple[int, int, bytes]]:
    data = memoryview(message)
    return [(one.number, one.wire, bytes(data[one.start : one.end])) for one in fields(data, 0, len(data))]


@settings(deadline=None)
@given(st.integers(1, 2**29 - 1), st.integers(0, 2**63), st.binary(max_size=300))
def test_what_is_written_is_read_again(number: int, value: int, content: bytes) -> None:
    message = number_field(number, value) + bytes_field(number, content)

    first, second = read(message)

    assert first[:2] == (number, VARINT) and varint(memoryview(first[2]), 0, len(first[2]))[0] == value
    assert second == (number, BYTES, content)


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        found = read(content)
    except ValueError:
        return
    assert all(number > 0 for number, _, _ in found)


@pytest.mark.parametrize(
    "message", [b"\x0a", b"\x0a\x05abc", b"\x08\xff", b"\x0b", b"\x00\x00", b"\x09abc", b"\xff" * 12]
)
def test_a_message_cut_short_is_refused(message: bytes) -> None:
    with pytest.raises(ValueError, match="byte"):
        read(message)


def test_numbers_of_onnx_are_read_packed_or_not() -> None:
    attribute = onnx.helper.make_attribute("pads", [3, 300, 5])
    message = memoryview(attribute.SerializeToString())
    found = [number for one in fields(message, 0, len(message)) if one.number == 8 for number in numbers(message, one)]

    packed = memoryview(bytes_field(8, b"\x03\xac\x02\x05"))

    assert found == [3, 300, 5] == numbers(packed, next(fields(packed, 0, len(packed))))
