"""Training steps on synthetic clips: real networks, losses, gradients and updates, without reading recordings."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from voxmatrix.bench.benchmarks import BenchPart, Figures
from voxmatrix.bench.timing import median_and_spread
from voxmatrix.compute.device import open_device, set_tf32
from voxmatrix.compute.memory import peak_mib
from voxmatrix.errors import NoDeviceError
from voxmatrix.machine.facts import Gpu, Machine
from voxmatrix.plan.precision import choose_precision, choose_tf32
from voxmatrix.tables.quality import quality
from voxmatrix.tables.training import Precision
from voxmatrix.wording import pluralise

if TYPE_CHECKING:
    import torch

#: Phonemes with Piper's blanks between them, in fast speech (the value of tools/tables/memory_table.py).
_SYMBOLS_PER_SECOND = 30
#: A training clips gradients; the time does not depend on the limit.
_CLIP_NORM = 1000.0


@dataclass(frozen=True, kw_only=True)
class TrainBench:
    """The settings of the benchmark on one device."""

    benchmark: ClassVar = "train"
    quality: str = "medium"
    batch_size: int = 8
    clip_seconds: float = 5.0
    steps: int = 5  # per run
    runs: int = 3
    warmup: int = 2  # steps
    precision: Precision = "fp32"
    tf32: bool = False

    @property
    def about(self) -> str:
        """The title of the table."""
        return (
            f"training {self.quality} on synthetic clips of {self.clip_seconds:g} s, {self.runs} runs of {self.steps} "
            f"steps after {self.warmup} warm-up steps"
        )


def planned_for(gpu: Gpu | None, job: TrainBench) -> TrainBench:
    """The same job in the precision planned for this device."""
    precision, tf32 = choose_precision(gpu, None).value, choose_tf32(gpu, None).value
    return replace(job, precision=precision, tf32=tf32)


def parts(job: TrainBench, gpu: Gpu | None, machine: Machine) -> list[BenchPart]:
    """A single part, in the planned precision."""
    device = open_device(gpu, machine)
    return [BenchPart(name=job.precision, measure=partial(_measure, job, device))]


def _measure(job: TrainBench, device: "torch.device") -> Figures:
    from voxmatrix.compute.memory import keep_freed_memory

    keep_freed_memory()
    set_tf32(job.tf32)
    take_steps = _stepper(job, device)
    take_steps(job.warmup)
    step_seconds = []
    for _ in range(job.runs):
        start = time.perf_counter()
        take_steps(job.steps)
        step_seconds.append((time.perf_counter() - start) / job.steps)
    median, spread = median_and_spread(step_seconds)
    return {
        "steps_per_second": 1 / median,
        "clips_per_second": job.batch_size / median,
        "step_seconds": median,
        "spread_seconds": spread,
        "peak_mib": peak_mib(device),
    }


def _stepper(job: TrainBench, device: "torch.device") -> Callable[[int], None]:
    """A function that takes a number of steps and waits until the last one is computed."""
    from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
    from voxmatrix.train.device import autocast
    from voxmatrix.train.step.step import make_optimisers, step_seed, take_step

    row = quality(job.quality)
    networks = synthetic_networks(row, device)
    optimisers = make_optimisers(networks, row.learning_rate, device, half=job.precision == "fp16")
    samples, symbols = int(job.clip_seconds * row.rate_hz), int(job.clip_seconds * _SYMBOLS_PER_SECOND)
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
    """Reject the figures if the training diverged."""
    if not math.isfinite(loss):
        raise NoDeviceError(
            f"the losses are not finite after {pluralise(steps, 'step')} in {precision}", "run: voxmatrix doctor"
        )
