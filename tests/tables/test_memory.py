"""The estimates are whole, in a sensible order, and say where they are from."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from tests.tables.checks import check_memory, check_memory_row
from voxmatrix.tables import rows
from voxmatrix.tables.memory import memory_table, parse
from voxmatrix.tables.quality import qualities


def table() -> dict[str, Any]:
    return copy.deepcopy(rows.read("memory.toml"))


def check(content: dict[str, Any]) -> None:
    check_memory(parse(content))
    for name in ("process", "overhead", "unified", "voice", "share"):
        if not content[name].get("source"):
            raise ValueError(f"{name} has no source for its numbers")


def test_the_table_can_be_true() -> None:
    check(table())


def test_every_quality_has_a_row_with_its_source() -> None:
    found = memory_table().qualities
    assert set(found) == set(qualities())
    assert all("tools.tables.memory_table" in row.source for row in found.values())


def test_larger_qualities_take_more() -> None:
    sizes = [memory_table().qualities[name] for name in ("tiny", "x_low", "low", "medium", "high")]
    for half in (True, False):
        clips = [row.clip_mib(10, half) for row in sizes]
        assert clips == sorted(clips)
    assert [row.base_mib for row in sizes] == sorted(row.base_mib for row in sizes)


def test_a_longer_clip_takes_more_and_16_bits_less() -> None:
    row = memory_table().qualities["medium"]
    assert row.clip_mib(5, half=False) < row.clip_mib(10, half=False)
    assert row.clip_mib(10, half=True) < row.clip_mib(10, half=False)


def test_weights_gradients_and_moments_are_16_bytes_a_parameter() -> None:
    row = replace(memory_table().qualities["medium"], parameters=1024 * 1024, once_mib=3)
    assert row.base_mib == 19


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("share", "gpu", 0.95),
        ("share", "shared", 0.9),
        ("share", "source", ""),
        ("overhead", "factor", 0.5),
        ("process", "process_mib", 0),
        ("process", "least_mib", 0),
    ],
)
def test_a_number_that_cannot_be_true_is_refused(part: str, key: str, value: object) -> None:
    wrong = table()
    wrong[part][key] = value
    with pytest.raises(ValueError, match=r"\w"):
        check(wrong)


@pytest.mark.parametrize(
    "wrong", [{"parameters": 0}, {"checkpointed": 1.5}, {"segment_mib_16": 9999.0}, {"source": ""}]
)
def test_a_row_that_cannot_be_true_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_memory_row(replace(memory_table().qualities["medium"], **wrong))


def test_a_missing_quality_is_refused() -> None:
    wrong = table()
    del wrong["quality"]["high"]
    with pytest.raises(ValueError, match=r"qualities\.toml"):
        check(wrong)
