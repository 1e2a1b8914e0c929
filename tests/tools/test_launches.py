"""The number of kernel launches of a step, which `./run bench -- launches` reports."""

import pytest
import torch

from tools.bench.launches import Launches, search_launches, step_launches
from voxmatrix.tables.quality import quality


def test_the_alignment_search_takes_two_launches_per_block_of_eight_frames() -> None:
    few, many = search_launches(64, 20), search_launches(128, 20)
    assert many - few <= 2 * 64 / 8 + 1, "two per block, and one more to backtrack"


@pytest.mark.slow
def test_nothing_else_in_a_step_runs_frame_by_frame() -> None:
    few, many = (step_launches(quality("tiny"), frames, 20) for frames in (64, 128))
    assert many - few == search_launches(128, 20) - search_launches(64, 20)


def test_views_and_allocations_are_not_launches() -> None:
    with Launches() as counted:
        x = torch.empty(4, 4).t()[1:].unsqueeze(0)
    assert counted.count == 0
    with counted:
        x.add_(x)
    assert counted.count == 1
