import pytest
import torch

from voxmatrix.vits.layers.attention import RelativeAttention, distances_to_pairs, pairs_to_distances
from voxmatrix.vits.layers.constants import WINDOW


@pytest.mark.parametrize("t", [1, 2, 4, 5, 9, 30])
def test_distances_lie_on_the_diagonals(t: int) -> None:
    near = torch.randn(2, 3, t, 2 * WINDOW + 1)
    pairs = distances_to_pairs(near)
    assert pairs.shape == (2, 3, t, t)
    for row in range(t):
        for column in range(t):
            distance = column - row
            wanted = near[:, :, row, distance + WINDOW] if abs(distance) <= WINDOW else torch.zeros(2, 3)
            assert torch.equal(pairs[:, :, row, column], wanted)


@pytest.mark.parametrize("t", [1, 2, 4, 5, 9, 30])
def test_diagonals_are_read_as_distances(t: int) -> None:
    pairs = torch.randn(2, 3, t, t)
    near = pairs_to_distances(pairs)
    assert near.shape == (2, 3, t, 2 * WINDOW + 1)
    for row in range(t):
        for distance in range(-WINDOW, WINDOW + 1):
            inside = 0 <= row + distance < t
            wanted = pairs[:, :, row, row + distance] if inside else torch.zeros(2, 3)
            assert torch.equal(near[:, :, row, distance + WINDOW], wanted)


def test_what_is_masked_is_not_heard() -> None:
    attention = RelativeAttention(8, 2, 0.0)
    x = torch.randn(1, 8, 6)
    mask = torch.tensor([[[1.0, 1, 1, 1, 0, 0]]])
    pair_mask = mask.unsqueeze(2) * mask.unsqueeze(-1)
    changed = x.clone()
    changed[:, :, 4:] = 100
    with torch.no_grad():
        heard, other = attention(x, pair_mask), attention(changed, pair_mask)
    torch.testing.assert_close(heard[:, :, :4], other[:, :, :4])
