"""Muon (Jordan 2024, https://kellerjordan.github.io/posts/muon): the update of a matrix has singular values near 1.

torch has it from 2.9 on, which not every image contains, and in bfloat16: on a CPU that has none, 17 to 60 times as
slow as float32 (measured). Here the iteration works on the product of the matrix with itself, in half the time.
"""

import math
from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

#: The quintic iteration that raises small singular values fastest, and how often it is applied.
_COEFFICIENTS, _ITERATIONS = (3.4445, -4.7750, 2.0315), 5
_MOMENTUM = 0.9
_SMALLEST = 1e-7


class Muon(torch.optim.Optimizer):
    """For weights with two or more dimensions; those after the first are one dimension of a matrix."""

    def __init__(self, parameters: Iterable[nn.Parameter], rate: float) -> None:
        super().__init__(parameters, {"lr": rate})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Change all weights that have a gradient."""
        for group in self.param_groups:
            for weight in group["params"]:
                if weight.grad is not None:
                    momentum = self.state[weight].setdefault("momentum", torch.zeros_like(weight))
                    momentum.lerp_(weight.grad, 1 - _MOMENTUM)
                    update = weight.grad.lerp(momentum, _MOMENTUM).flatten(1)
                    rate = group["lr"] * math.sqrt(max(1.0, update.size(0) / update.size(1)))
                    weight.sub_(orthogonal(update).view_as(weight) * rate)  # the rate may be a tensor


def orthogonal(matrix: Tensor) -> Tensor:
    """A matrix (m, n) with the same singular vectors and singular values of about 0.7 to 1.2."""
    if matrix.size(0) > matrix.size(1):
        return orthogonal(matrix.T).T
    matrix = matrix / matrix.norm().clamp_min(_SMALLEST)
    product = matrix @ matrix.T
    factor = change = _change(product)
    for _ in range(_ITERATIONS - 1):
        product = change @ product @ change
        change = _change(product)
        factor = change @ factor
    return factor @ matrix


def _change(product: Tensor) -> Tensor:
    """What an iteration multiplies the matrix with, from the product of the matrix with itself."""
    first, second, third = _COEFFICIENTS
    change = torch.addmm(product, product, product, beta=second, alpha=third)
    change.diagonal().add_(first)
    return change
