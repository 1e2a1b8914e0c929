"""Which sentences are heard at validations, and how many of their words are wrong."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from voxmatrix.dataset.prepared import Clip, PreparedSet
from voxmatrix.judge.hearing import Heard, Recogniser
from voxmatrix.train.data.batches import Collate
from voxmatrix.train.monitor import words as words_module
from voxmatrix.train.monitor.words import WordCheck, heard_clips
from voxmatrix.train.step.step import Networks


def test_those_of_validation_come_first_and_not_too_many(prepared: PreparedSet) -> None:
    rate = prepared.rate_hz
    clips = [replace(prepared.clips[0], id=str(number), samples=rate) for number in range(20)]
    chosen = heard_clips(clips[15:], clips[:15], rate)
    assert [clip.id for clip in chosen] == ["15", "16", "17", "18", "19", "0", "1", "2"]
    long = [replace(clip, samples=15 * rate) for clip in clips]
    assert len(heard_clips(long[:10], long[10:], rate)) == 2
    assert len(heard_clips([replace(clips[0], samples=60 * rate)], [], rate)) == 1  # one is always heard


def test_the_share_is_that_of_all_words(prepared: PreparedSet, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the birch canoe", "a quick brown fox jumps"]
    clips = tuple(replace(clip, text=text) for clip, text in zip(prepared.clips, texts, strict=False))
    heard = iter(["the birch canoe", "a quick brown box"])
    recogniser = SimpleNamespace(hear=lambda *_: Heard(next(heard), 1.0))
    monkeypatch.setattr(words_module, "spoken", lambda *_: torch.zeros(100))
    check = WordCheck(
        clips=clips,
        collate=Collate(()),
        device=torch.device("cpu"),
        rate_hz=prepared.rate_hz,
        language="en-us",
        recogniser=cast(Recogniser, recogniser),
    )
    assert check(cast(Networks, cast(Any, None))) == 2 / 8
    assert all(isinstance(clip, Clip) for clip in clips)
