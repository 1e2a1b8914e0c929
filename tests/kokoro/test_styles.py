"""Styles are whole tables, and mixtures are their weighted means."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kokoro.conftest import write_styles
from voxmatrix.errors import BadInputError, DamagedFileError
from voxmatrix.kokoro.styles import BYTES, mix, parts_of, read_styles


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("af_heart", {}),
        ("af_heart+af_bella", {"af_heart": 0.5, "af_bella": 0.5}),
        ("af_heart(2)+af_bella(1)", {"af_heart": 2 / 3, "af_bella": 1 / 3}),
        ("af_heart(0.5) + bf_emma", {"af_heart": 1 / 3, "bf_emma": 2 / 3}),
        ("af_heart(1)", {"af_heart": 1.0}),
        ("af_heart+af_heart+af_bella(0)", {"af_heart": 1.0}),
        ("en_US-joe-medium", {}),
        ("../../etc+passwd", {}),
        ("af_heart+", {}),
        ("", {}),
    ],
)
def test_a_mixture_is_read(name: str, shares: dict[str, float]) -> None:
    assert parts_of(name) == pytest.approx(shares)


def test_a_mixture_of_nothing_is_refused() -> None:
    with pytest.raises(BadInputError, match="mixture of nothing"):
        parts_of("af_heart(0)+af_bella(0)")


@given(st.text(max_size=40))
def test_no_name_is_more_than_a_mixture(name: str) -> None:
    try:
        shares = parts_of(name)
    except BadInputError:
        return
    assert not shares or sum(shares.values()) == pytest.approx(1)


def test_a_mixture_is_the_weighted_mean_and_written_once(tmp_path: Path) -> None:
    one, other = write_styles(tmp_path / "af_a.bin", 1.0), write_styles(tmp_path / "af_b.bin", 4.0)
    mixed = mix("af_a(2)+af_b(1)", {one: 2 / 3, other: 1 / 3}, tmp_path / "mixed")
    assert np.allclose(read_styles(mixed), read_styles(one) * 2 / 3 + read_styles(other) / 3)
    before = mixed.stat().st_mtime_ns
    assert mix("af_a(2)+af_b(1)", {one: 2 / 3, other: 1 / 3}, tmp_path / "mixed") == mixed
    assert mixed.stat().st_mtime_ns == before
    write_styles(other, 7.0)
    assert mix("af_a(2)+af_b(1)", {one: 2 / 3, other: 1 / 3}, tmp_path / "mixed") != mixed


@pytest.mark.parametrize("content", [b"", b"x" * (BYTES - 1), b"x" * (BYTES + 2), b"\xff\xff\xff\xff" * (BYTES // 4)])
def test_a_file_that_is_no_table_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "af_heart.bin"
    path.write_bytes(content)
    with pytest.raises(DamagedFileError, match="not a voice of Kokoro"):
        read_styles(path)
