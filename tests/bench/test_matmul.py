"""Matrices on the CPU, and the formats that each GPU is measured in."""

import pytest

from tests.bench.reports import HERE
from tests.plan.computers import ARC, RTX_3060, T4, gpu
from voxmatrix.bench.matmul import MatmulBench, formats, parts
from voxmatrix.machine.facts import Gpu


@pytest.mark.parametrize(
    ("card", "named"),
    [
        (None, ("fp32",)),
        (ARC, ("fp32",)),
        (T4, ("fp32", "fp16")),
        (RTX_3060, ("fp32", "tf32", "bf16")),
        (gpu("GTX 1080", "6.1", 8192), ("fp32",)),
        (gpu("who knows", None, None), ("fp32",)),
    ],
)
def test_a_cuda_gpu_is_also_measured_in_what_is_planned_there(card: Gpu | None, named: tuple[str, ...]) -> None:
    assert formats(card) == named


def test_the_figures_belong_together() -> None:
    measured = [
        part.measure() for part in parts(MatmulBench(size=32, runs=3, formats=("fp32", "bf16", "tf32")), None, HERE)
    ]
    assert len(measured) == 3
    for figures in measured:
        assert figures["gflops"] == pytest.approx(2 * 32**3 / figures["median_ms"] / 1e6)
        assert figures["spread_ms"] >= 0
