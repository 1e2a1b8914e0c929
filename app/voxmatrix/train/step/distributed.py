"""Several processes that train one voice, each on a device of its own (Lightning's DDP launcher and process group).

Each computes its rows of every batch, with the random numbers that the whole batch would have drawn, and the gradients
are added up: so what is learned does not depend on how many there are. Lightning's wrapper of a network is not used: it
averages gradients per process and expects one pass through one network, and here two networks learn from one pass.
"""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from voxmatrix.train.data.batches import Batch
from voxmatrix.train.step.step import LOSSES, Networks

#: Gradients are added up on the devices; whether to stop is asked on the CPU, so that no device is waited for.
_BACKENDS = {"cpu": "gloo", "cuda": "cpu:gloo,cuda:nccl"}
#: Gradients travel in pieces of so many numbers (32 MiB): large enough for the wire, small beside the networks.
_PIECE = 1 << 23


@dataclass(kw_only=True)
class Distributed:
    """The processes of a training; one alone unless others were launched."""

    rank: int = 0
    count: int = 1
    _learned: dict[int, list[nn.Parameter]] = field(default_factory=dict)

    def share(self, batch: Batch) -> Batch:
        """The rows of this process; the whole batch when there is only one."""
        if self.count == 1:
            return batch
        clips = batch.size.clips
        return batch.part(clips * self.rank // self.count, clips * (self.rank + 1) // self.count)

    def add_up(self, networks: Networks, losses: Mapping[str, Tensor], device: torch.device) -> Mapping[str, Tensor]:
        """Add up gradients and losses of all processes; every one has the sums afterwards."""
        if self.count == 1:
            return losses
        for network in (networks.discriminator, networks.generator):
            for piece in _pieces([_gradient(weight) for weight in self._weights_that_learn(network)]):
                flat = torch.cat([gradient.reshape(-1) for gradient in piece])
                torch.distributed.all_reduce(flat)
                for gradient, summed in zip(piece, torch.split(flat, [one.numel() for one in piece]), strict=True):
                    gradient.copy_(summed.view_as(gradient))
        values = torch.stack([losses.get(name, torch.zeros((), device=device)).float() for name in LOSSES])
        torch.distributed.all_reduce(values)
        return dict(zip(LOSSES, values.unbind(), strict=True))

    def any(self, said: bool) -> bool:
        """Whether any process says so. Asked on the CPU: no device is waited for."""
        if self.count == 1:
            return said
        answer = torch.tensor([int(said)])
        torch.distributed.all_reduce(answer, torch.distributed.ReduceOp.MAX)
        return bool(answer.item())

    def _weights_that_learn(self, network: nn.Module) -> list[nn.Parameter]:
        """Those with a gradient in any process (one without rows has none). Asked once, for it does not change."""
        if id(network) not in self._learned:
            weights = list(network.parameters())
            has = torch.tensor([int(weight.grad is not None) for weight in weights])
            torch.distributed.all_reduce(has, torch.distributed.ReduceOp.MAX)
            self._learned[id(network)] = [weight for weight, one in zip(weights, has.tolist(), strict=True) if one]
        return self._learned[id(network)]


def launch_processes(devices: Sequence[torch.device]) -> Distributed:
    """Start a process for each other device; they run the same command line. Returns when all are here."""
    if len(devices) == 1:
        return Distributed()
    # Imported here: it takes a second, and a single process does without it.
    from lightning.fabric import Fabric
    from lightning.fabric.strategies.ddp import DDPStrategy

    for name in ("lightning.fabric", "lightning.pytorch"):  # Fabric's banner says what we say ourselves
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


def _pieces(gradients: Sequence[Tensor]) -> Iterator[list[Tensor]]:
    piece: list[Tensor] = []
    for gradient in gradients:
        if piece and sum(one.numel() for one in piece) + gradient.numel() > _PIECE:
            yield piece
            piece = []
        piece.append(gradient)
    if piece:
        yield piece
