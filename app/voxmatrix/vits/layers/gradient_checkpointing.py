"""Gradient checkpointing: a module discards its activations and recomputes them in the backward pass.

Used in training only. Results are identical: random numbers (dropout, noise) are drawn again from the same state, and
autocast is restored. The discriminators are not checkpointed: the feature loss needs the output of each layer anyway.
They save memory with in-place activations instead, which cost no time.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize
from torch.utils.checkpoint import checkpoint


class CheckpointedModule(nn.Module):
    """A module that keeps only its inputs while `checkpointed` is set, in training with gradients."""

    checkpointed = False
    #: Whether `forward` draws random numbers: then the state of the random number generators is restored.
    uses_random_numbers = False

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        """Call `forward`, checkpointed if enabled."""
        if not (self.checkpointed and self.training and torch.is_grad_enabled()):
            return super().__call__(*inputs, **options)
        preserve = self.uses_random_numbers
        return checkpoint(self._compute, *inputs, use_reentrant=False, preserve_rng_state=preserve, **options)

    def _compute(self, *inputs: Any, **options: Any) -> Any:
        with _uncached_weights():
            return super().__call__(*inputs, **options)


def set_gradient_checkpointing(networks: Iterable[nn.Module], on: bool) -> None:
    """Enable or disable it, at any time between two steps. Weights, their names and results are unaffected."""
    for network in networks:
        for module in network.modules():
            if isinstance(module, CheckpointedModule):
                module.checkpointed = on


@contextmanager
def _uncached_weights() -> Iterator[None]:
    """Disable the cache of parametrised weights, so that both passes compute them inside the module.

    In `parametrize.cached()`, one pass could find a weight in the cache that the other has to compute; torch then
    rejects the backward pass. There is no public way to leave that context.
    """
    enabled, parametrize._cache_enabled = parametrize._cache_enabled, 0
    try:
        yield
    finally:
        parametrize._cache_enabled = enabled
