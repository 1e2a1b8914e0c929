"""Counting what autograd keeps, with the smallest voice."""

from app.tables.quality import quality
from tools.memory_table import saved_bytes


def test_longer_clips_keep_more_and_checkpointing_less() -> None:
    short, long = (saved_bytes(quality("tiny"), seconds, clips=1, half=False) for seconds in (1.0, 2.0))
    assert short[0] < long[0]
    assert 0 < long[1] < long[0]
