"""Random numbers for a part of a batch: the same as for its rows in the whole batch.

This makes losses and gradients independent of how a batch is divided, for lack of memory or among several devices.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from voxmatrix.train.data.batches import Batch


def rng_of(batch: Batch) -> AbstractContextManager[Any]:
    """A context in which torch draws random numbers for this batch as in the whole batch it is a part of.

    Seed torch before entering it, with the same seed for each part.
    """
    return nullcontext() if batch.whole is None else _PartOfWhole(batch)


class _PartOfWhole(TorchFunctionMode):
    """Draw random numbers for all rows of the whole batch and return the rows of the part."""

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        self._clips = batch.size.clips
        self._whole_clips = batch.whole_size.clips
        self._rows = slice(batch.first, batch.first + self._clips)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is functional.dropout:
            return self._dropout(*args, **kwargs)
        if func is torch.randn_like:
            like: Tensor = args[0]
            return self._draw(torch.randn, tuple(like.shape), device=like.device, dtype=like.dtype)
        if func in (torch.randn, torch.rand):
            shape = tuple(args[0]) if len(args) == 1 and not isinstance(args[0], int) else tuple(args)
            return self._draw(func, shape, **kwargs)
        return func(*args, **kwargs)

    def _draw(self, func: Any, shape: tuple[int, ...], **kwargs: Any) -> Tensor:
        self._check(shape)
        whole: Tensor = func(self._whole_clips, *shape[1:], **kwargs)
        return whole[self._rows]

    def _dropout(self, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if not training or p == 0.0:
            return x
        self._check(tuple(x.shape))
        scale = functional.dropout(x.new_ones(self._whole_clips, *x.shape[1:]), p, training=True)
        return x * scale[self._rows]

    def _check(self, shape: tuple[int, ...]) -> None:
        # Any other shape would silently get other numbers than in the whole batch.
        assert shape[0] == self._clips, f"random numbers for {shape[0]} rows, but this part has {self._clips}"
