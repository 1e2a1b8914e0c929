"""Steps of a training on made-up clips: real networks, losses, gradients and updates, without reading recordings."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from voxmatrix.bench.benchmarks import BenchPart, Figures
from voxmatrix.bench.timing import median_and_spread
from voxmatrix.compute.child_device import open_device
from voxmatrix.compute.peak_memory import peak_mib
from voxmatrix.errors import NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.precision import choose_precision, choose_tf32
from voxmatrix.tables.precision import Precision
from voxmatrix.tables.quality import quality

if TYPE_CHECKING:
    import torch

#: Phonemes with Piper's blanks between them: fast speech (as tools/memory_table.py has it).
_SYMBOLS_A_SECOND = 30
#: Whatever the limit is, clipping takes the same time; a training has one.
_CLIP_NORM = 1000.0


@dataclass(frozen=True, kw_only=True)
class TrainBench:
    """What is measured on one device."""

    benchmark: ClassVar = "train"
    quality: str = "medium"
    batch_size: int = 8
    clip_seconds: float = 5.0
    steps: int = 5  # to one run
    runs: int = 3
    warmup: int = 2  # steps
    precision: Precision = "fp32"
    tf32: bool = False

    @property
    def about(self) -> str:
        """As the table is headed."""
        return (
            f"training {self.quality} on made-up clips of {self.clip_seconds:g} s, {self.runs} runs of {self.steps} "
            f"steps after {self.warmup} to warm up"
        )


def planned_for(gpu: Gpu | None, job: TrainBench) -> TrainBench:
    """The same training in the number formats that the plan has for this device."""
    precision, tf32 = choose_precision(gpu, None).value, choose_tf32(gpu, None).value
    return replace(job, precision=precision, tf32=tf32)


def parts(job: TrainBench, gpu: Gpu | None, machine: Machine) -> list[BenchPart]:
    """One, in the planned number format."""
    device = open_device(gpu, machine)
    return [BenchPart(name=job.precision, measure=partial(_measure, job, device))]


def _measure(job: TrainBench, device: "torch.device") -> Figures:
    import torch

    from voxmatrix.compute.memory import keep_freed_memory

    keep_freed_memory()
    torch.set_float32_matmul_precision("high" if job.tf32 else "highest")
    take = _stepper(job, device)
    take(job.warmup)
    taken = []
    for _ in range(job.runs):
        began = time.perf_counter()
        take(job.steps)
        taken.append((time.perf_counter() - began) / job.steps)
    median, spread = median_and_spread(taken)
    return {
        "steps_per_second": 1 / median,
        "clips_per_second": job.batch_size / median,
        "step_seconds": median,
        "spread_seconds": spread,
        "peak_mib": peak_mib(device),
    }


def _stepper(job: TrainBench, device: "torch.device") -> Callable[[int], None]:
    """What takes so many steps and returns when the last is done."""
    from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
    from voxmatrix.train.device import autocast
    from voxmatrix.train.step.step import make_optimisers, step_seed, take_step

    row = quality(job.quality)
    networks = synthetic_networks(row, device)
    optimisers = make_optimisers(networks, row.learning_rate, device, half=job.precision == "fp16")
    samples, symbols = int(job.clip_seconds * row.rate_hz), int(job.clip_seconds * _SYMBOLS_A_SECOND)
    batch = synthetic_batch(job.batch_size, samples, symbols).to(device)
    context = partial(autocast, device, job.precision)
    done = 0

    def take(steps: int) -> None:
        nonlocal done
        for _ in range(steps):
            seeds = [step_seed(1, done, 0)]
            losses = take_step(networks, optimisers, [batch], seeds=seeds, autocast=context, clip_norm=_CLIP_NORM)
            done += 1
        if steps:
            _check(float(sum(losses.values())), done, job.precision)  # float: waits for the device

    return take


def _check(loss: float, steps: int, precision: str) -> None:
    """Figures of a training that learns nothing are worth nothing."""
    if not math.isfinite(loss):
        raise NoDeviceError(f"the losses are no numbers after {steps} steps in {precision}", "see: voxmatrix doctor")
