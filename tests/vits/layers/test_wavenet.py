"""In training on a CPU, a WaveNet computes in rows: the same."""

import pytest
import torch

from voxmatrix.vits.layers.wavenet import WaveNet


@pytest.mark.parametrize("speaker_channels", [0, 6])
def test_in_training_it_computes_what_it_computes_otherwise(speaker_channels: int) -> None:
    torch.manual_seed(1)
    network = WaveNet(64, 5, 3, speaker_channels)
    x, mask = torch.randn(2, 64, 37), (torch.arange(37) < torch.tensor([[37], [20]])).unsqueeze(1).float()
    speaker = torch.randn(2, speaker_channels, 1) if speaker_channels else None
    found = []
    for training in (True, False):
        network.train(training).zero_grad()
        given = x.clone().requires_grad_()
        made = network(given * mask, mask, speaker)
        made.square().sum().backward()
        assert made.shape == x.shape
        found.append([made.detach(), given.grad, *(weight.grad for weight in network.parameters())])
    for in_rows, plain in zip(*found, strict=True):
        assert (in_rows - plain).norm() <= 1e-5 * plain.norm()
