"""Which row speaks about which device."""

from dataclasses import replace

import pytest

from tests.tables.checks import check_precision
from voxmatrix.tables.precision import precision_row, precision_rows


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
def test_a_row_that_cannot_be_true_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        check_precision(replace(precision_rows()[0], **wrong))  # type: ignore[arg-type]
