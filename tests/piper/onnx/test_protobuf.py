"""The wire format is read as protobuf writes it, and nonsense ends in one kind of error."""

import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.piper.onnx.protobuf import Message, bytes_field, varint_field


def message(content: bytes) -> Message:
    return Message(content, 0, len(content))


@given(st.integers(1, 2**29 - 1), st.integers(0, 2**63), st.binary(max_size=300))
def test_what_is_written_is_read_again(number: int, value: int, content: bytes) -> None:
    written = varint_field(number, value) + bytes_field(number, content)

    first, second = message(written).values(number)

    assert message(varint_field(number, value)).ints(number) == [value]
    assert written[: first.end] == varint_field(number, value) and second.content() == content


def test_a_message_without_a_field_is_the_others_as_they_were() -> None:
    written = varint_field(1, 300) + bytes_field(2, b"left out") + bytes_field(3, b"kept") + bytes_field(2, b"as well")

    assert message(written).without(2) == varint_field(1, 300) + bytes_field(3, b"kept")
    assert message(written).without() == written


def test_offsets_count_from_the_beginning_of_the_file() -> None:
    inner = bytes_field(2, b"value")
    file = b"before" + bytes_field(1, inner)

    (outer,) = Message(file, len(b"before"), len(file)).values(1)
    (value,) = outer.values(2)

    assert file[value.start : value.end] == b"value"


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        found = list(message(content).fields())
    except ValueError:
        return
    assert all(number > 0 and begin < start <= end <= len(content) for number, begin, start, end in found)


@pytest.mark.parametrize(
    "content", [b"\x0a", b"\x0a\x05abc", b"\x08\xff", b"\x0b", b"\x00\x00", b"\x09abc", b"\xff" * 12]
)
def test_a_message_cut_short_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match="byte"):
        list(message(content).fields())


def test_numbers_of_onnx_are_read_packed_or_not() -> None:
    attribute = onnx.helper.make_attribute("pads", [3, 300, 5]).SerializeToString()

    assert message(attribute).ints(8) == [3, 300, 5] == message(bytes_field(8, b"\x03\xac\x02\x05")).ints(8)
    assert message(attribute).text(1) == "pads"
