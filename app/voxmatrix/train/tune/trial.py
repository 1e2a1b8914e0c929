"""Measure the memory and speed of training steps with a given batch size, as a job in JSON says."""

import math
import time
from dataclasses import dataclass, replace
from functools import partial

import torch

from voxmatrix.compute.device import backend, device_in_child, open_device, set_tf32
from voxmatrix.compute.memory import keep_freed_memory, peak_mib
from voxmatrix.errors import NoDeviceError
from voxmatrix.tables.quality import quality
from voxmatrix.tables.training import MIB, Precision, memory_table
from voxmatrix.train.config import DEFAULT_CLIP_NORM
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
from voxmatrix.train.device import autocast
from voxmatrix.train.step.graphs import StepGraphs, open_graphs
from voxmatrix.train.step.step import Networks, Optimisers, gradients, make_optimisers, step_seed, update
from voxmatrix.train.tune.batch_search import TriedBatch
from voxmatrix.vits.layers.gradient_checkpointing import set_gradient_checkpointing
from voxmatrix.wording import pluralise


@dataclass(frozen=True, kw_only=True)
class TrialJob:
    """What to measure, in plain values."""

    device: str
    name: str | None
    quality: str
    precision: Precision
    checkpointed: bool
    tf32: bool
    cudnn_benchmark: bool
    graphs: bool
    threads: int | None  # CPU threads; None: torch's default
    samples: int  # per clip
    symbols: int  # per clip
    speakers: int
    free_mib: int | None  # free memory of the device before the child started


#: Steps are timed for this long, but at least so many, after steps that are not: they load kernels and reserve memory.
_TIMED_SECONDS, _MIN_STEPS = 1.0, 2
#: If the first step takes this long, a single one is timed.
_LONG_SECONDS = 15.0
#: With fp16, loss scaling halves from 65536 until gradients are finite; before that, the optimisers allocate no state.
_MAX_WARM_UP_STEPS = 40


@dataclass(kw_only=True)
class Trial:
    """Networks and optimisers on the device."""

    job: TrialJob
    device: torch.device
    networks: Networks
    optimisers: Optimisers
    graphs: StepGraphs | None = None
    steps: int = 0

    def measure(self, size: int) -> TriedBatch:
        """Measure steps with `size` clips.

        On the CPU the peak is that of the process since its start: measure sizes in increasing order.

        Raises:
            NoDeviceError: the losses are not finite, so the measurement would be meaningless.
        """
        start = time.perf_counter()
        self.graphs = open_graphs(self.device, _ignore) if self.job.graphs else None  # without those of other sizes
        if (module := backend(self.device)) is not None:
            module.empty_cache()
            module.reset_peak_memory_stats(self.device)
        batch = synthetic_batch(size, self.job.samples, self.job.symbols, self.job.speakers).to(self.device)
        for _ in range(2 if self.graphs else 1):  # the second one is captured
            self._step(batch)
        for _ in range(_MAX_WARM_UP_STEPS):
            if self._has_optimiser_state() and time.perf_counter() - start > _TIMED_SECONDS:
                break
            self._step(batch)
        timed = end = time.perf_counter()
        least = _MIN_STEPS if timed - start < _LONG_SECONDS else 1
        steps = 0
        while steps < least or end - timed < _TIMED_SECONDS:
            self._step(batch)
            steps += 1
            end = time.perf_counter()
        return TriedBatch(
            batch_size=size,
            peak_mib=self._peak_mib(),
            step_seconds=(end - timed) / steps,
            seconds=end - start,
        )

    def recover(self) -> None:
        """Discard what an unfinished step left: gradients, and the state of loss scaling."""
        self.networks.generator.zero_grad()
        self.networks.discriminator.zero_grad()
        self.optimisers = replace(self.optimisers, scaler=_scaler(self.job, self.device))

    def _step(self, batch: Batch) -> None:
        """Take a step and wait for the device."""
        losses = gradients(
            self.networks,
            self.optimisers.scaler,
            [batch],
            seeds=[step_seed(1, self.steps, 0)],
            autocast=partial(autocast, self.device, self.job.precision),
            compute=self.graphs,
        )
        update(self.networks, self.optimisers, DEFAULT_CLIP_NORM)
        self.steps += 1
        if not math.isfinite(float(sum(losses.values()))):
            raise NoDeviceError(
                f"the losses are not finite after {pluralise(self.steps, 'step')} in {self.job.precision}",
                "run voxmatrix doctor",
            )

    def _has_optimiser_state(self) -> bool:
        return bool(self.optimisers.generator.state and self.optimisers.discriminator.state)

    def _peak_mib(self) -> float:
        peak = peak_mib(self.device)
        if peak is None:
            raise NoDeviceError(f"{self.job.device} does not report how much memory is used", "set `batch_size`")
        if self.device.type != "cuda":
            return peak
        if self.job.free_mib is None:
            return peak + memory_table().process_mib
        # Besides torch's tensors, memory is used for the CUDA context, kernels and workspaces of libraries.
        free, _ = torch.cuda.mem_get_info(self.device)
        overhead = self.job.free_mib - (free + torch.cuda.memory_reserved(self.device)) / MIB
        return peak + max(0.0, overhead)


def open_trial(job: TrialJob) -> Trial:
    """Create networks and optimisers on the device, with torch's options set as in a training.

    Raises:
        NoDeviceError: torch does not see the device.
    """
    device = open_device(*device_in_child(job.device, job.name))
    if job.threads:
        torch.set_num_threads(job.threads)
    keep_freed_memory()
    set_tf32(job.tf32)
    torch.backends.cudnn.benchmark = job.cudnn_benchmark
    row = quality(job.quality)
    networks = synthetic_networks(row, device, job.speakers)
    set_gradient_checkpointing((networks.generator, networks.discriminator), job.checkpointed)
    optimisers = make_optimisers(networks, row.learning_rate, device, half=job.precision == "fp16")
    return Trial(job=job, device=device, networks=networks, optimisers=optimisers)


def _ignore(warning: str) -> None:
    """What cannot be captured is measured without graphs, as a training computes it."""


def _scaler(job: TrialJob, device: torch.device) -> torch.amp.GradScaler:
    return torch.amp.GradScaler(device.type, enabled=job.precision == "fp16")
