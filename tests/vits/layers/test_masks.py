import torch

from voxmatrix.vits.layers.masks import cut, random_starts, sequence_mask


def test_masks_show_what_is_real() -> None:
    assert sequence_mask(torch.tensor([2, 0, 3]), 3).tolist() == [[[1, 1, 0]], [[0, 0, 0]], [[1, 1, 1]]]


def test_a_window_is_cut_from_every_row_at_its_own_place() -> None:
    rows = torch.arange(20.0).view(2, 1, 10).requires_grad_()
    windows = cut(rows, torch.tensor([0, 7]), 3)
    assert windows.tolist() == [[[0, 1, 2]], [[17, 18, 19]]]
    windows.sum().backward()
    assert rows.grad is not None
    assert rows.grad.sum() == 6


def test_random_windows_lie_inside_and_reach_both_ends() -> None:
    torch.manual_seed(0)
    lengths = torch.tensor([5, 3, 2, 0]).repeat(500)
    starts = random_starts(lengths, 3).view(500, 4)
    assert set(starts[:, 0].tolist()) == {0, 1, 2}
    assert set(starts[:, 1:].flatten().tolist()) == {0}, "a row that is too short begins at its start"
