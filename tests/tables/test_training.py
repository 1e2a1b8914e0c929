"""The tables of a training are whole, in a sensible order, and say where their figures are from."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from tests.tables.checks import check_memory, check_memory_row, check_precision
from voxmatrix.tables import rows
from voxmatrix.tables.quality import qualities
from voxmatrix.tables.training import (
    MIN_SECONDS,
    amount_of,
    amounts,
    memory_table,
    parse_memory,
    precision_row,
    precision_rows,
)


@pytest.mark.parametrize(
    ("name", "capability", "precision", "tf32"),
    [
        ("NVIDIA GeForce GTX 980", (5, 2), "fp32", False),
        ("NVIDIA GeForce GTX 1080 Ti", (6, 1), "fp32", False),
        ("Tesla P100-PCIE-16GB", (6, 0), "fp32", False),
        ("Tesla V100-SXM2-32GB", (7, 0), "fp16", False),
        ("Tesla T4", (7, 5), "fp16", False),
        ("NVIDIA GeForce RTX 2080 Ti", (7, 5), "fp16", False),
        ("NVIDIA GeForce GTX 1660", (7, 5), "fp32", False),
        ("NVIDIA GeForce GTX 1650 with Max-Q Design", (7, 5), "fp32", False),
        ("NVIDIA T1000 8GB", (7, 5), "fp32", False),
        ("NVIDIA A100-SXM4-80GB", (8, 0), "bf16", True),
        ("NVIDIA GeForce RTX 3050", (8, 6), "bf16", True),
        ("NVIDIA GeForce RTX 3060", (8, 6), "bf16", True),
        ("Orin", (8, 7), "bf16", True),
        ("NVIDIA GB10", (12, 1), "bf16", True),
        ("a GPU of the future", (13, 0), "bf16", True),
        ("a GPU of the past", (3, 5), "fp32", False),
    ],
)
def test_a_gpu_computes_in(name: str, capability: tuple[int, int], precision: str, tf32: bool) -> None:
    row = precision_row("cuda", capability, name)
    assert row is not None
    assert (row.precision, row.tf32) == (precision, tf32)


@pytest.mark.parametrize("device", ["cpu", "directml", "rocm", "xpu", "mps"])
def test_everything_else_computes_in_fp32(device: str) -> None:
    row = precision_row(device, None, None)
    assert row is not None
    assert row.precision == "fp32"


def test_a_capability_that_could_not_be_read_has_no_row() -> None:
    assert precision_row("cuda", None, "NVIDIA GeForce RTX 3060") is None


def test_every_row_can_be_true_and_says_why_and_where_from() -> None:
    for row in precision_rows():
        check_precision(row)


@pytest.mark.parametrize("wrong", [{"precision": "fp8"}, {"at_least": None}, {"source": ""}, {"precision": "fp16"}])
def test_a_precision_that_cannot_be_true_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_precision(replace(precision_rows()[0], **wrong))  # type: ignore[arg-type]


def table() -> dict[str, Any]:
    return copy.deepcopy(rows.read("memory.toml"))


def check(content: dict[str, Any]) -> None:
    check_memory(parse_memory(content))
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
def test_a_memory_row_that_cannot_be_true_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_memory_row(replace(memory_table().qualities["medium"], **wrong))


def test_a_missing_quality_is_refused() -> None:
    wrong = table()
    del wrong["quality"]["high"]
    with pytest.raises(ValueError, match=r"qualities\.toml"):
        check(wrong)


def test_more_speech_is_never_expected_to_give_less() -> None:
    minutes = [row.minutes for row in amounts()]
    assert minutes == sorted(set(minutes))
    assert minutes[0] == 0


@pytest.mark.parametrize(
    ("seconds", "name", "better"),
    [
        (0, "nothing", "1 minute"),
        (59.4, "nothing", "1 minute"),
        (59.5, "trial", "10 minutes"),
        (4000, "intelligible", "5 hours"),
        (1e6, "best", None),
    ],
)
def test_the_row_that_is_reached_applies_and_the_next_one_is_named(
    seconds: float, name: str, better: str | None
) -> None:
    row, following = amount_of(seconds)
    assert row.name == name
    assert (following and following.duration) == better


def test_the_first_row_that_makes_a_voice_is_the_least_that_is_accepted() -> None:
    assert amounts()[1].minutes * 60 == MIN_SECONDS
