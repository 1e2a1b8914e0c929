"""Several devices, one after the other: one that cannot work costs nothing but its own rows."""

from tests.bench.reports import HERE
from tests.plan.computers import RTX_3060, T4
from voxmatrix.bench.matmul import MatmulBench
from voxmatrix.bench.suite import BenchSuite, planned_for
from voxmatrix.bench.train import TrainBench
from voxmatrix.machine.facts import Gpu

BROKEN = Gpu(index=5, kind="cuda", uuid="GPU-of-nobody", name="[/] broken")


def test_a_gpu_that_cannot_work_does_not_cost_the_cpu() -> None:
    said: list[str] = []
    bench = BenchSuite(machine=HERE, gpus=(BROKEN, None), findings=(), limit_seconds=120, on_device=said.append)
    broken, cpu = bench.each(lambda gpu: MatmulBench(size=8, runs=1))
    assert (broken.device, broken.measured) == ("cuda:5", False)
    assert (cpu.device, cpu.measured) == ("cpu", True)
    assert said == ["cuda:5", "cpu"]


def test_a_sweep_names_its_batches_and_ends_where_memory_would(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from dataclasses import replace

    said: list[str] = []
    small = replace(HERE, available_mib=1)  # so that only the first batch may be tried
    bench = BenchSuite(machine=small, gpus=(None,), findings=(), limit_seconds=300, on_device=said.append)
    rows, suggestions = bench.sweep(TrainBench(quality="tiny", clip_seconds=1.0, steps=1, runs=1, warmup=0))
    assert said == ["cpu, batch 1"]
    assert [row.given for row in rows] == [{"batch_size": 1}]
    assert [suggestion.line for suggestion in suggestions] == ["--device cpu --batch-size 1 --accumulation 32"]
    assert suggestions[0].reason.startswith("batch 2 would take about")


def test_a_training_is_measured_in_what_is_planned() -> None:
    formats = [
        (planned.precision, planned.tf32)
        for gpu in (None, T4, RTX_3060)
        for planned in [planned_for(gpu, TrainBench())]
    ]
    assert formats == [("fp32", False), ("fp16", False), ("bf16", True)]
