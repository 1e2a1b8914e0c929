"""A CUDA graph without a GPU: it repeats the operations that were recorded, with the tensors that they had then."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from voxmatrix.vits import synthesizer
from voxmatrix.vits.alignment import torch_path

#: What changes no values.
_FREE = {
    "empty",
    "empty_like",
    "empty_strided",
    "new_empty",
    "new_empty_strided",
    "transpose_",
    "squeeze_",
    "unsqueeze_",
}


class Tape(TorchDispatchMode):
    """Stands for `torch.cuda.CUDAGraph`. What is not an operation of torch, such as a number read, is not repeated."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[tuple[Any, Any, Any, Any]] = []
        self.replays = 0
        self._before: list[tuple[Tensor, Tensor]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default:
            raise RuntimeError("operation not permitted when stream is capturing")
        if func.is_view or func.overloadpacket.__name__ in _FREE:
            return func(*args, **(kwargs or {}))
        held = tree_map_only(Tensor, Tensor.detach, (args, kwargs or {}))  # with the shapes of now
        for number, argument in enumerate(func._schema.arguments):
            if argument.alias_info is not None and argument.alias_info.is_write:
                written = held[0][number] if number < len(held[0]) else held[1].get(argument.name)
                self._before += [(x, x.clone()) for x in tree_leaves(written) if isinstance(x, Tensor)]
        out = func(*args, **(kwargs or {}))
        self.calls.append((func, *held, tree_map_only(Tensor, Tensor.detach, out)))
        return out

    @torch.no_grad()
    def undo(self) -> None:
        """A capture changes nothing."""
        for changed, before in reversed(self._before):
            changed.copy_(before)

    @torch.no_grad()
    def replay(self) -> None:
        self.replays += 1
        for func, args, kwargs, out in self.calls:
            again = func(*args, **kwargs)
            for held, value in zip(tree_leaves(out), tree_leaves(again), strict=True):
                if isinstance(held, Tensor) and held.data_ptr() != value.data_ptr():
                    held.copy_(value)


@contextmanager
def _record(tape: Tape, **_: object) -> Iterator[None]:
    with torch.random.fork_rng(devices=()), tape:  # a capture draws no random numbers
        yield
    tape.undo()


def install(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let tapes stand for the CUDA graphs of this process, and compute on the CPU as on a GPU."""
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Tape)
    monkeypatch.setattr(torch.cuda, "graph", _record)
    monkeypatch.setattr(torch.cuda, "graph_pool_handle", lambda: (0, 1))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda _device: None)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _device: (1 << 40, 1 << 40))
    monkeypatch.delattr(torch._C, "_cuda_beginAllocateCurrentStreamToPool", raising=False)  # a torch with CUDA has it
    monkeypatch.setattr(synthesizer, "best_path", torch_path)
