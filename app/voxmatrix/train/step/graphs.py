"""Gradients as CUDA graphs: one launch starts all kernels of a batch.

A step consists of thousands of small kernels, and a fast GPU computes them in less time than the CPU needs to start
them. A graph is for one size of batch, so batches are padded to few sizes (`voxmatrix.train.data.batches`). The
first batch of a size is computed without a graph, which loads its kernels; the second one is captured, and from then on
the graph is replayed. Both add their gradients to the same tensors. Random numbers are those of the seed that was set
last: a graph reads it at every replay.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from voxmatrix.train.config import LOSSES
from voxmatrix.train.data.batches import Batch
from voxmatrix.train.step.step import PartSettings, Shares, part_gradients

#: More sizes than a training with clips of up to 15 seconds has. A graph takes some 10 MiB on the device.
MAX_GRAPHS = 96
#: No further graphs are captured when less memory than this is free on the device.
MIN_FREE_BYTES = 1 << 30


def open_graphs(device: torch.device, warn: Callable[[str], None]) -> "StepGraphs":
    """Select a stream for all work of this thread on the device, as the default stream cannot be captured."""
    stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    stream.wait_stream(torch.cuda.current_stream(device))
    torch.cuda.set_stream(stream)
    return StepGraphs(device, warn)


class Size(NamedTuple):
    """What a graph is captured for."""

    clips: int
    samples: int
    symbols: int
    adversarial: bool
    segment_frames: int
    first: int  # of the rows of the whole batch, whose random numbers are drawn
    whole_clips: int


class _Graph(NamedTuple):
    """A captured graph with its inputs and outputs."""

    graph: torch.cuda.CUDAGraph
    batch: Batch
    shares: Tensor  # (3,)
    losses: Tensor  # in the order of LOSSES

    def replay(self, batch: Batch, shares: Shares) -> Tensor:
        for held, given in zip(self.batch.tensors, batch.tensors, strict=True):
            held.copy_(given)
        for place, value in zip(self.shares.unbind(), shares, strict=True):
            place.fill_(value)
        self.graph.replay()
        return self.losses.clone()  # the next graph may use their memory


@dataclass
class StepGraphs:
    """Computes the gradients of parts of batches like `part_gradients`, with graphs.

    All work on the device must be on one stream, the current one: graphs share their memory.
    """

    device: torch.device
    warn: Callable[[str], None]
    graphs: dict[Size, _Graph] = field(default_factory=dict)
    _seen: set[Size] = field(default_factory=set)
    _sums: dict[nn.Parameter, Tensor] = field(default_factory=dict)  # gradients: graphs contain their addresses
    _pool: Any = None
    _capturing: bool = True

    def __call__(self, settings: PartSettings, batch: Batch, shares: Shares) -> dict[str, Tensor]:
        """Add the gradients of a part of a batch to `.grad` of all weights, and return its losses."""
        networks = settings.networks
        weights = [*networks.discriminator.parameters(), *networks.generator.parameters()]
        begun = [total for weight, total in self._sums.items() if weight.grad is None]
        if begun:
            torch._foreach_zero_(begun)
        size = _size(settings, batch)
        if size in self._seen and size not in self.graphs and self._may_capture():
            self._capture(size, settings, batch, weights)
        self._seen.add(size)
        if graph := self.graphs.get(size):
            losses = graph.replay(batch, shares)
        else:
            with self._graph_memory():
                losses, gradients = _computed(settings, batch, shares, weights)
            losses = losses.clone()
            self._add(weights, gradients)
        for weight, total in self._sums.items():
            weight.grad = total
        return dict(zip(LOSSES, losses.unbind(), strict=True))

    def _add(self, weights: Sequence[nn.Parameter], gradients: Sequence[Tensor | None]) -> None:
        pairs = [(weight, new) for weight, new in zip(weights, gradients, strict=True) if new is not None]
        for weight, new in pairs:
            if weight not in self._sums:
                self._sums[weight] = torch.zeros_like(new)
        torch._foreach_add_([self._sums[weight] for weight, _ in pairs], [new for _, new in pairs])

    def _may_capture(self) -> bool:
        enough = torch.cuda.mem_get_info(self.device)[0] >= MIN_FREE_BYTES if self.graphs else True
        return self._capturing and len(self.graphs) < MAX_GRAPHS and enough

    def _capture(self, size: Size, settings: PartSettings, batch: Batch, weights: Sequence[nn.Parameter]) -> None:
        """Capture a graph; if that fails, none are used from then on."""
        held, shares = batch.clone(), torch.ones(3, device=self.device)
        self._pool = self._pool or torch.cuda.graph_pool_handle()
        graph = torch.cuda.CUDAGraph()
        try:
            # Errors of this thread only: another one pins batches in memory, which is allowed.
            with torch.cuda.graph(
                graph,
                pool=self._pool,
                stream=torch.cuda.current_stream(self.device),
                capture_error_mode="thread_local",
            ):
                losses, gradients = _computed(settings, held, Shares(*shares.unbind()), weights)
                self._add(weights, gradients)
        except Exception as error:
            self._failed(error)
        else:
            self.graphs[size] = _Graph(graph, held, shares, losses)

    def _failed(self, error: BaseException) -> None:
        cause = error.__context__ or error  # ending a capture that failed is an error, too
        self.warn(
            f"a step could not be captured as a CUDA graph ({str(cause).splitlines()[0]}): steps are computed without "
            "graphs, with the same results"
        )
        self._capturing = False
        self.graphs.clear()
        # The random number generator may still be in the state of a capture: replace it and set its seed again.
        generator = torch.cuda.default_generators[torch.cuda.current_device()]
        generator.graphsafe_set_state(torch.Generator(self.device).graphsafe_get_state())
        torch.manual_seed(torch.initial_seed())

    @contextmanager
    def _graph_memory(self) -> Iterator[None]:
        """Take memory from that of the graphs, which is unused between two replays."""
        begin = getattr(torch._C, "_cuda_beginAllocateCurrentStreamToPool", None)
        if begin is None or not self.graphs:
            with nullcontext():
                yield
            return
        index = torch.cuda.current_device()
        begin(index, self._pool)
        try:
            yield
        finally:
            torch._C._cuda_endAllocateToPool(index, self._pool)
            torch._C._cuda_releasePool(index, self._pool)


def _size(settings: PartSettings, batch: Batch) -> Size:
    return Size(
        batch.size.clips,
        batch.wave.size(1),
        batch.text.size(1),
        settings.adversarial,
        settings.segment_frames,
        batch.first,
        batch.whole_size.clips,
    )


def _computed(
    settings: PartSettings, batch: Batch, shares: Shares, weights: Sequence[nn.Parameter]
) -> tuple[Tensor, list[Tensor | None]]:
    """The losses, in the order of LOSSES, and the gradient of each weight."""
    for weight in weights:
        weight.grad = None  # then torch keeps each gradient that it computes instead of adding it to another
    losses = part_gradients(settings, batch, shares)
    return torch.stack([losses[name].float() for name in LOSSES]), [weight.grad for weight in weights]
