"""Frames are read as they were written, and nothing else is a frame."""

import io
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.external.wire import MAX_BODY_BYTES, MAX_HEAD_BYTES, Frame, FrameError, encode, read_frame

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def exactly(data: bytes):  # type: ignore[no-untyped-def]
    file = io.BytesIO(data)

    def read(size: int) -> bytes:
        part = file.read(size)
        if len(part) < size:
            raise EOFError
        return part

    return read


@given(st.dictionaries(st.text(), _VALUES), st.text(), st.lists(st.binary(min_size=4, max_size=4)))
def test_what_is_written_is_read(head: dict[str, object], type: str, samples: list[bytes]) -> None:
    head, body = {**head, "type": type}, b"".join(samples)
    frame = read_frame(exactly(encode(head, body)))
    assert frame == Frame(json.loads(json.dumps(head)), body)
    assert frame.type == type


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_too_few_or_refused(data: bytes) -> None:
    try:
        frame = read_frame(exactly(data))
    except (FrameError, EOFError):
        return
    assert isinstance(frame.type, str)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_lengths_beyond_the_limits_are_refused_before_anything_is_read(head: int, body: int) -> None:
    asked: list[int] = []

    def read(size: int) -> bytes:
        asked.append(size)
        return struct.pack("<II", head, body) if len(asked) == 1 else b"[" * size

    with pytest.raises(FrameError):
        read_frame(read)
    assert max(asked) <= MAX_HEAD_BYTES


@pytest.mark.parametrize("body", [b"123", bytes(MAX_BODY_BYTES + 4)])
def test_a_part_that_is_no_samples_or_too_large_is_not_written(body: bytes) -> None:
    with pytest.raises(FrameError, match="of samples"):
        encode({"type": "audio"}, body)


@pytest.mark.parametrize("head", [b"[]", b"1", b"{}", b'{"type": 1}', b"\xff", b"[" * 100_000])
def test_a_head_that_is_no_object_with_a_type_is_refused(head: bytes) -> None:
    with pytest.raises(FrameError, match="its head"):
        read_frame(exactly(struct.pack("<II", len(head), 0) + head))
