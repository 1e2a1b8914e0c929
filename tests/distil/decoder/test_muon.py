"""Muon changes a weight by a matrix whose singular values are near 1, whatever the gradient's are."""

import pytest
import torch
from torch import nn

from voxmatrix.distil.decoder.muon import Muon, orthogonal


@pytest.mark.parametrize("shape", [(12, 40), (40, 12), (16, 16), (1, 7)])
def test_singular_values_are_near_one(shape: tuple[int, int]) -> None:
    torch.manual_seed(0)
    gradient = torch.randn(shape) * torch.logspace(0, -1, shape[1])

    made = orthogonal(gradient)

    values = torch.linalg.svdvals(made)
    assert made.shape == shape
    assert values.min() > 0.4 and values.max() < 1.3
    assert (made * gradient).sum() > 0  # in the same direction


def test_a_weight_without_a_gradient_stays() -> None:
    still, zero = nn.Parameter(torch.ones(3, 4)), nn.Parameter(torch.ones(3, 4))
    zero.grad = torch.zeros(3, 4)

    Muon([still, zero], 0.1).step()

    assert torch.equal(still, torch.ones(3, 4)) and torch.equal(zero, torch.ones(3, 4))


def test_it_fits_a_convolution() -> None:
    torch.manual_seed(0)
    wanted, train = (nn.Conv1d(4, 6, 3, bias=False) for _ in range(2))
    optimizer = Muon(train.parameters(), 0.05)
    heard = torch.randn(8, 4, 50)

    def distance() -> torch.Tensor:
        return (wanted(heard).detach() - train(heard)).square().mean()

    before = float(distance().detach())
    for step in range(100):
        optimizer.param_groups[0]["lr"] = 0.05 * (1 - step / 100)
        optimizer.zero_grad()
        distance().backward()
        optimizer.step()
    assert float(distance().detach()) < 0.01 * before
