"""Random numbers of a part of a batch: the rows that the whole batch would have drawn.

So a step gives the same losses and gradients however memory or several devices make it be computed in parts.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from voxmatrix.train.data.batches import Batch


def rng_of(batch: Batch) -> AbstractContextManager[Any]:
    """Inside the block torch draws for this batch as for the whole that it is a part of; for a whole, as ever.

    Whoever enters seeds torch first, for each part with the seed of the whole.
    """
    return nullcontext() if batch.whole is None else _RowsOfTheWhole(batch)


class _RowsOfTheWhole(TorchFunctionMode):
    """Draws for all rows of the whole batch, and gives those of the part."""

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        self._clips = batch.size.clips
        self._of = batch.of.clips
        self._rows = slice(batch.first, batch.first + self._clips)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is functional.dropout:
            return self._dropout(*args, **kwargs)
        if func is torch.randn_like:
            like: Tensor = args[0]
            return self._drawn(torch.randn, tuple(like.shape), device=like.device, dtype=like.dtype)
        if func in (torch.randn, torch.rand):
            shape = tuple(args[0]) if len(args) == 1 and not isinstance(args[0], int) else tuple(args)
            return self._drawn(func, shape, **kwargs)
        return func(*args, **kwargs)

    def _drawn(self, draw: Any, shape: tuple[int, ...], **kwargs: Any) -> Tensor:
        self._expect(shape)
        drawn: Tensor = draw(self._of, *shape[1:], **kwargs)
        return drawn[self._rows]

    def _dropout(self, x: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        if not training or p == 0.0:
            return x
        self._expect(tuple(x.shape))
        kept = functional.dropout(x.new_ones(self._of, *x.shape[1:]), p, training=True)
        return x * kept[self._rows]

    def _expect(self, shape: tuple[int, ...]) -> None:
        # Anything else would silently be drawn otherwise than in the whole.
        assert shape[0] == self._clips, f"drawn for {shape[0]} rows, and this part has {self._clips}"
