"""Train one voice in several processes, one per device (with Lightning's DDP launcher and process group).

Each process computes its rows of every batch, with the random numbers of the whole batch, and gradients are summed: the
result does not depend on the number of processes. Lightning's module wrapper is not used, because it averages gradients
per process and expects one pass through one network; here, one pass trains two networks.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from voxmatrix.train.config import LOSSES
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.step.step import Networks

#: Gradients are summed on the devices; stop requests are exchanged on the CPU, without synchronising with a device.
_BACKENDS = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}
#: Gradients are sent in chunks of this many numbers (32 MiB): efficient to send, but small compared to the networks.
_CHUNK = 1 << 23


@dataclass(kw_only=True)
class Distributed:
    """The processes of a training; a single one by default."""

    rank: int = 0
    count: int = 1
    _trained: dict[int, list[nn.Parameter]] = field(default_factory=dict)

    def share(self, batch: Batch) -> Batch:
        """The rows of this process; the whole batch if there is only one process."""
        if self.count == 1:
            return batch
        clips = batch.size.clips
        return batch.part(clips * self.rank // self.count, clips * (self.rank + 1) // self.count)

    def all_reduce(
        self, networks: Networks, losses: Mapping[str, Tensor], device: torch.device
    ) -> Mapping[str, Tensor]:
        """Sum the gradients and losses of all processes, in all processes."""
        if self.count == 1:
            return losses
        for network in (networks.discriminator, networks.generator):
            for chunk in _chunks([_gradient(weight) for weight in self._trained_weights(network)]):
                flat = torch.cat([gradient.reshape(-1) for gradient in chunk])
                torch.distributed.all_reduce(flat)
                sums = torch.split(flat, [gradient.numel() for gradient in chunk])
                for gradient, summed in zip(chunk, sums, strict=True):
                    gradient.copy_(summed.view_as(gradient))
        values = torch.stack([losses.get(name, torch.zeros((), device=device)).float() for name in LOSSES])
        torch.distributed.all_reduce(values)
        return dict(zip(LOSSES, values.unbind(), strict=True))

    def any(self, value: bool) -> bool:
        """Whether `value` is true in any process, without synchronising with a device."""
        if self.count == 1:
            return value
        result = torch.tensor([int(value)])
        torch.distributed.all_reduce(result, torch.distributed.ReduceOp.MAX)
        return bool(result.item())

    def _trained_weights(self, network: nn.Module) -> list[nn.Parameter]:
        """Weights with a gradient in any process (a process without rows has none).

        Cached: they do not change once there are any (the discriminators' first step may come later).
        """
        if not self._trained.get(id(network)):
            weights = list(network.parameters())
            flags = torch.tensor([int(weight.grad is not None) for weight in weights])
            torch.distributed.all_reduce(flags, torch.distributed.ReduceOp.MAX)
            self._trained[id(network)] = [weight for weight, flag in zip(weights, flags.tolist(), strict=True) if flag]
        return self._trained[id(network)]


def launch_processes(devices: Sequence[torch.device]) -> Distributed:
    """Start a process with the same command line for each further device, and wait for all of them."""
    if len(devices) == 1:
        return Distributed()
    # Imported here because it takes a second and a single process does not need it.
    from lightning.fabric import Fabric
    from lightning.fabric.strategies.ddp import DDPStrategy

    for name in ("lightning.fabric", "lightning.pytorch"):  # hides Fabric's banner, which repeats our own output
        logging.getLogger(name).setLevel(logging.WARNING)
    kind = devices[0].type
    fabric = Fabric(
        accelerator=kind,
        strategy=DDPStrategy(process_group_backend=_BACKENDS[kind]),
        devices=len(devices) if kind == "cpu" else [device.index or 0 for device in devices],
    )
    fabric.launch()
    return Distributed(rank=fabric.global_rank, count=fabric.world_size)


def _gradient(weight: nn.Parameter) -> Tensor:
    if weight.grad is None:
        weight.grad = torch.zeros_like(weight)
    return weight.grad


def _chunks(gradients: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    chunk: list[Tensor] = []
    for gradient in gradients:
        if chunk and sum(earlier.numel() for earlier in chunk) + gradient.numel() > _CHUNK:
            yield chunk
            chunk = []
        chunk.append(gradient)
    if chunk:
        yield chunk
