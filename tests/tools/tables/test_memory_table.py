"""Counting what a step takes, with the smallest voice: tensors without numbers count as real ones do."""

import pytest
import torch

from tools.tables.live_memory import LiveMemory
from tools.tables.memory_table import peak_bytes, saved_bytes
from voxmatrix.tables.quality import quality

TINY = quality("tiny")


def test_longer_clips_keep_more_and_16_bits_less() -> None:
    short, long = (saved_bytes(TINY, seconds, clips=1, half=False) for seconds in (1.0, 2.0))
    assert 0 < short < long
    assert saved_bytes(TINY, 2.0, clips=1, half=True) < long


def test_checkpointing_takes_less_at_the_worst_moment() -> None:
    plain, less = (peak_bytes(TINY, 2.0, clips=4, half=False, checkpointing=on) for on in (False, True))
    assert less < 0.6 * plain


@pytest.mark.parametrize("checkpointing", [False, True])
def test_without_numbers_as_much_is_counted_as_with_them(checkpointing: bool) -> None:
    counted, real = (
        peak_bytes(TINY, 1.0, clips=1, half=False, checkpointing=checkpointing, without_numbers=without)
        for without in (True, False)
    )
    assert counted == pytest.approx(real, rel=0.02)  # the alignment is computed elsewhere


def test_a_storage_counts_once_and_until_it_is_freed() -> None:
    with LiveMemory() as live:
        one = torch.zeros(256)
        view = one.view(16, 16)
        assert live.now == 1024
        del one
        assert live.now == 1024
        other = view + 1
        del view
        assert (live.now, live.peak) == (1024, 2048)
        assert other.numel() == 256


def test_what_was_there_before_does_not_count() -> None:
    weight = torch.ones(8, requires_grad=True)
    live = LiveMemory()
    with live, torch.autograd.graph.saved_tensors_hooks(live.note_saved, lambda tensor: tensor):
        made = weight.exp()  # keeps its result
        again = made * weight  # and this the result once more, and the weight
    assert live.saved == 32
    assert again.numel() == 8
