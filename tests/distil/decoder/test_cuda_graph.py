"""A step on a GPU is replayed from a graph, and computes the same."""

import pytest
import torch

from tests.distil.decoder.test_training import utterances
from tests.piper.conftest import MakeCheckpoint
from voxmatrix.distil.decoder.graph import read_graph
from voxmatrix.distil.decoder.network import FastDecoder, copy_weights
from voxmatrix.distil.decoder.training import DecoderTrainer


@pytest.mark.gpu
def test_replayed_steps_learn_what_others_do(make_onnx: MakeCheckpoint) -> None:
    weights = read_graph(make_onnx("tiny", 1, "text")).weights

    def losses(*, recorded: bool) -> list[float]:
        torch.manual_seed(0)
        student, material = FastDecoder(weights), utterances()
        copy_weights(student, weights)
        device = torch.device("cuda:0")
        training = DecoderTrainer(student, train=material[:-1], validation=material[-1:], rate_hz=16000, device=device)
        if not recorded:
            training._take = training._work
        return [float(training.step()) for _ in range(12)]

    assert losses(recorded=True) == pytest.approx(losses(recorded=False), rel=1e-2)
