"""Memory may run out on a GPU of its own, and not where other programs live."""

from tests.plan.computers import RTX_3060, gpu, machine
from voxmatrix.bench.fits import too_large
from voxmatrix.bench.train import TrainBench

MEDIUM = TrainBench(quality="medium")


def test_a_gpu_with_memory_of_its_own_may_try_anything() -> None:
    assert too_large(MEDIUM, RTX_3060, machine(RTX_3060))(32) == ""


def test_the_cpu_and_a_gpu_that_shares_its_memory_may_not() -> None:
    orin = gpu("Orin", "8.7", None, unified=True)
    for card in (None, orin):
        small = machine(available_mib=8000)
        said = too_large(MEDIUM, card, small)
        assert said(1) == ""
        assert said(32).startswith("batch 32 would take about ")
        assert "of 8000 MiB available" in said(32)


def test_where_nobody_knows_the_memory_it_is_tried() -> None:
    assert too_large(MEDIUM, None, machine(available_mib=None, memory_mib=None))(32) == ""
