"""The product of two square matrices, in every precision that a plan would use."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from voxmatrix.bench.benchmarks import BenchPart, Figures
from voxmatrix.bench.timing import median_and_spread, seconds_of_runs
from voxmatrix.compute.device import open_device, set_tf32
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.precision import choose_precision, choose_tf32

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class MatmulBench:
    """The settings of the benchmark on one device."""

    benchmark: ClassVar = "matmul"
    size: int = 2000  # rows and columns
    runs: int = 10
    warmup: int = 2
    formats: Sequence[str] = ("fp32",)

    @property
    def about(self) -> str:
        """The title of the table."""
        return f"product of two {self.size} × {self.size} matrices, {self.runs} runs after {self.warmup} warm-up runs"


def formats(gpu: Gpu | None) -> tuple[str, ...]:
    """Float32 everywhere; on a CUDA GPU also TF32 if supported, and the planned training precision."""
    if gpu is None or gpu.kind != "cuda":
        return ("fp32",)
    planned = choose_precision(gpu, None).value
    tf32 = ("tf32",) if choose_tf32(gpu, None).value else ()
    return ("fp32", *tf32, *((planned,) if planned != "fp32" else ()))


def parts(job: MatmulBench, gpu: Gpu | None, machine: Machine) -> list[BenchPart]:
    """One part per format."""
    device = open_device(gpu, machine)
    return [BenchPart(name=name, measure=partial(_measure, job, device, name)) for name in job.formats]


def _measure(job: MatmulBench, device: "torch.device", name: str) -> Figures:
    import torch

    set_tf32(name == "tf32")
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(name, torch.float32)
    random = torch.Generator().manual_seed(1)
    first, second = (torch.randn(job.size, job.size, generator=random).to(device, dtype) for _ in range(2))
    median, spread = median_and_spread(seconds_of_runs(lambda: first @ second, device, job.runs, job.warmup))
    operations = 2 * job.size**3  # multiplications and additions
    return {"median_ms": 1000 * median, "spread_ms": 1000 * spread, "gflops": operations / median / 1e9}
