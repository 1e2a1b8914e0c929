"""Clips are made up as they were ordered."""

import torch

from tests.train.synthetic import MINI
from voxmatrix.train.data.synthetic import synthetic_batch, synthetic_networks


def test_clips_are_as_long_as_stated() -> None:
    batch = synthetic_batch(2, 16000, 30)
    assert batch.wave.shape == (2, 16000)
    assert batch.text.shape == (2, 30)
    assert batch.text_lengths.tolist() == [30, 30]
    assert batch.speaker is None


def test_several_speakers_take_turns() -> None:
    speaker = synthetic_batch(5, 512, 3, speakers=2).speaker
    assert speaker is not None
    assert speaker.tolist() == [0, 1, 0, 1, 0]


def test_networks_are_those_of_the_quality() -> None:
    networks = synthetic_networks(MINI, torch.device("cpu"), speakers=3)
    assert networks.generator.emb_g.weight.size(0) == 3
