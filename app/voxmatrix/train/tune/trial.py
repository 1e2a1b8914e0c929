"""Real steps with batches of a chosen size: what they take of a device, and how fast they are."""

import math
import time
from dataclasses import dataclass, replace
from functools import partial

import torch

from voxmatrix.compute.child_device import device_in_child, open_device
from voxmatrix.compute.memory import keep_freed_memory
from voxmatrix.compute.peak_memory import peak_mib
from voxmatrix.errors import NoDeviceError
from voxmatrix.tables.memory import MIB, memory_table
from voxmatrix.tables.quality import quality
from voxmatrix.train.config import DEFAULT_CLIP_NORM
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks
from voxmatrix.train.device import autocast
from voxmatrix.train.step.step import Networks, Optimisers, gradients, make_optimisers, step_seed, update
from voxmatrix.train.tune.batch_search import TriedBatch
from voxmatrix.train.tune.trial_config import TrialJob
from voxmatrix.voice.layers.gradient_checkpointing import set_gradient_checkpointing

#: Timed steps of one size, after one that is not; where that one takes long, a single one says enough.
_STEPS, _LONG_SECONDS = 2, 15.0
#: fp16's scaler halves from 65536 until gradients are finite; before that, the optimisers keep no moments.
_MOST_STEPS_TO_LEARN = 40


@dataclass(kw_only=True)
class Trial:
    """Networks and optimisers on the device, and how many steps they took."""

    job: TrialJob
    device: torch.device
    networks: Networks
    optimisers: Optimisers
    steps: int = 0

    def measure(self, size: int) -> TriedBatch:
        """Steps with so many clips.

        On the CPU the peak is that of this process since it began: measure larger sizes after smaller ones.

        Raises:
            NoDeviceError: the losses are no numbers, so the figures would be worth nothing.
        """
        began = time.perf_counter()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats(self.device)
        batch = synthetic_batch(size, self.job.samples, self.job.symbols, self.job.speakers).to(self.device)
        self._step(batch)
        for _ in range(_MOST_STEPS_TO_LEARN):
            if self._learns():
                break
            self._step(batch)
        timed = time.perf_counter()
        steps = _STEPS if timed - began < _LONG_SECONDS else 1
        for _ in range(steps):
            self._step(batch)
        ended = time.perf_counter()
        return TriedBatch(
            batch_size=size,
            peak_mib=self._peak_mib(),
            step_seconds=(ended - timed) / steps,
            seconds=ended - began,
        )

    def recover(self) -> None:
        """Forget what a step left that was not finished: gradients, and what fp16's scaler noted about them."""
        self.networks.generator.zero_grad()
        self.networks.discriminator.zero_grad()
        self.optimisers = replace(self.optimisers, scaler=_scaler(self.job, self.device))

    def _step(self, batch: Batch) -> None:
        """One step, and its end is waited for."""
        losses = gradients(
            self.networks,
            self.optimisers.scaler,
            [batch],
            seeds=[step_seed(1, self.steps, 0)],
            autocast=partial(autocast, self.device, self.job.precision),
        )
        update(self.networks, self.optimisers, DEFAULT_CLIP_NORM)
        self.steps += 1
        if not math.isfinite(float(sum(losses.values()))):
            raise NoDeviceError(
                f"the losses are no numbers after {self.steps} steps in {self.job.precision}", "see: voxmatrix doctor"
            )

    def _learns(self) -> bool:
        return bool(self.optimisers.generator.state and self.optimisers.discriminator.state)

    def _peak_mib(self) -> float:
        peak = peak_mib(self.device)
        if peak is None:
            raise NoDeviceError(f"{self.job.device} does not say how much memory is taken", "set --batch-size")
        if self.device.type != "cuda":
            return peak
        if self.job.free_mib is None:
            return peak + memory_table().process_mib
        # Beside torch's tensors: CUDA's context, kernels, the workspaces of libraries.
        free, _ = torch.cuda.mem_get_info(self.device)
        beside = self.job.free_mib - (free + torch.cuda.memory_reserved(self.device)) / MIB
        return peak + max(0.0, beside)


def open_trial(job: TrialJob) -> Trial:
    """Make everything ready on the device, with torch's switches set as a training sets them.

    Raises:
        NoDeviceError: torch does not see the device.
    """
    device = open_device(*device_in_child(job.device, job.name))
    if job.threads:
        torch.set_num_threads(job.threads)
    keep_freed_memory()
    torch.set_float32_matmul_precision("high" if job.tf32 else "highest")
    torch.backends.cudnn.benchmark = job.cudnn_benchmark
    row = quality(job.quality)
    networks = synthetic_networks(row, device, job.speakers)
    set_gradient_checkpointing((networks.generator, networks.discriminator), job.checkpointed)
    optimisers = make_optimisers(networks, row.learning_rate, device, half=job.precision == "fp16")
    return Trial(job=job, device=device, networks=networks, optimisers=optimisers)


def _scaler(job: TrialJob, device: torch.device) -> torch.amp.GradScaler:
    return torch.amp.GradScaler(device.type, enabled=job.precision == "fp16")
