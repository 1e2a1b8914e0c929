"""Repeat work of fixed shapes on a CUDA GPU with one launch.

A step of a distillation is some thousand launches of microseconds each: without a graph, the GPU waits for the host.
"""

from collections.abc import Callable
from dataclasses import fields, replace

import torch
from torch import Tensor

from voxmatrix.distil.decoder.batches import Windows

#: Steps before the work is recorded: libraries choose their kernels, and optimisers make their states.
_WARM_STEPS = 3


class CudaGraph:
    """Does `work` on windows of fixed shapes: at first as it is, then by replaying a graph of it."""

    def __init__(self, work: Callable[[Windows], Tensor]) -> None:
        self._work = work
        self._stream = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        self._warm = 0
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, windows: Windows) -> Tensor:
        """The loss (), which the next call changes."""
        if self._graph is None:
            if self._warm < _WARM_STEPS:
                self._warm += 1
                self._stream.wait_stream(torch.cuda.current_stream())
                with torch.cuda.stream(self._stream):
                    loss = self._work(windows)
                torch.cuda.current_stream().wait_stream(self._stream)
                return loss
            # The inputs of all later replays. What is recorded is not computed, so the first replay does this step.
            self._windows = replace(windows, **{name: tensor.clone() for name, tensor in _tensors(windows).items()})
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._loss = self._work(self._windows)
        for name, tensor in _tensors(self._windows).items():
            tensor.copy_(getattr(windows, name))
        self._graph.replay()
        return self._loss


def _tensors(windows: Windows) -> dict[str, Tensor]:
    found = {field.name: getattr(windows, field.name) for field in fields(windows)}
    return {name: tensor for name, tensor in found.items() if tensor is not None}
