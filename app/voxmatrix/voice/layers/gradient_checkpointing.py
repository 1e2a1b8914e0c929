"""Gradient checkpointing: a block forgets what it computed and computes it again for the backward pass.

In training only, and with the same numbers: what was drawn at random (dropout, noise) is drawn again from the same
state, and autocast is as it was. The discriminators have no such block: the feature loss needs what every one of their
layers gave, so forgetting it would spare nothing. They activate in place instead, which costs no time.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.utils.checkpoint import checkpoint


class CheckpointedModule(nn.Module):
    """A block that keeps its inputs only, while `checkpointed` is on and something is learned."""

    checkpointed = False
    #: Whether it draws at random: then the state of the generators is kept as well.
    draws = False

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """As `forward`."""
        if not (self.checkpointed and self.training and torch.is_grad_enabled()):
            return super().__call__(*inputs, **options)
        return checkpoint(self._compute, *inputs, use_reentrant=False, preserve_rng_state=self.draws, **options)

    def _compute(self, *inputs: Any, **options: Any) -> Any:
        with _own_weights():
            return super().__call__(*inputs, **options)


def set_gradient_checkpointing(networks: Iterable[nn.Module], on: bool) -> None:
    """Switch it on or off, at any time between two steps: weights, their names and results stay as they are."""
    for network in networks:
        for block in network.modules():
            if isinstance(block, CheckpointedModule):
                block.checkpointed = on


@contextmanager
def _own_weights() -> Iterator[None]:
    """Normalised weights are computed inside the block, the second time as the first.

    Inside of `parametrize.cached()` the first time could find a weight ready that the second one has to compute, or
    the other way round, and torch would refuse the backward pass. It has no public way to leave that region.
    """
    kept, parametrize._cache_enabled = parametrize._cache_enabled, 0
    try:
        yield
    finally:
        parametrize._cache_enabled = kept
