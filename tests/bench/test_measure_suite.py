"""Several devices, one after the other: one that cannot work costs nothing but its own rows."""

import pytest

from tests.bench.reports import HERE
from voxmatrix.bench.matmul import MatmulBench
from voxmatrix.bench.measure import BenchSuite
from voxmatrix.bench.train import TrainBench
from voxmatrix.machine.facts import Gpu

pytestmark = pytest.mark.usefixtures("forked_programs")

BROKEN = Gpu(index=5, kind="cuda", uuid="GPU-of-nobody", name="[/] broken")


def test_a_gpu_that_cannot_work_does_not_cost_the_cpu() -> None:
    said: list[str] = []
    bench = BenchSuite(machine=HERE, gpus=(BROKEN, None), findings=(), limit_seconds=120, on_device=said.append)
    broken, cpu = bench.run(lambda gpu: MatmulBench(size=8, runs=1))
    assert (broken.device, broken.measured) == ("cuda:5", False)
    assert (cpu.device, cpu.measured) == ("cpu", True)
    assert said == ["cuda:5", "cpu"]


def test_the_batch_of_a_training_is_said_and_stands_in_its_row() -> None:
    said: list[str] = []
    bench = BenchSuite(machine=HERE, gpus=(BROKEN,), findings=(), limit_seconds=120, on_device=said.append)
    (row,) = bench.run(lambda gpu: TrainBench(batch_size=4))
    assert (said, row.parameters) == (["cuda:5, batch 4"], {"batch_size": 4})
