import pytest
import torch

from tests.vits.conftest import liven
from voxmatrix.vits.flow import Flow


@pytest.mark.parametrize("speaker_channels", [0, 8])
def test_backward_undoes_forward(speaker_channels: int) -> None:
    flow = Flow(6, 12, speaker_channels)
    liven(flow)
    speaker = torch.randn(2, speaker_channels, 1) if speaker_channels else None
    mask = torch.ones(2, 1, 20)
    mask[1, :, 15:] = 0
    z = torch.randn(2, 6, 20) * mask
    with torch.no_grad():
        there = flow(z, mask, speaker)
        assert not torch.allclose(there, z, atol=1e-2)
        torch.testing.assert_close(flow(there, mask, speaker, reverse=True), z, atol=1e-5, rtol=1e-5)


def test_a_fresh_flow_only_flips() -> None:
    z = torch.randn(1, 6, 9)
    with torch.no_grad():
        assert torch.equal(Flow(6, 12, 0)(z, torch.ones(1, 1, 9)), z), "four flips are none"
