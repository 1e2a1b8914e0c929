import pytest
import torch
from torch import Tensor

from tests.vits.conftest import liven
from voxmatrix.vits.duration import StochasticDurationPredictor

MASK = torch.tensor([[[1.0] * 12], [[1.0] * 7 + [0.0] * 5]])


@pytest.fixture
def predictor() -> StochasticDurationPredictor:
    torch.manual_seed(2)
    predictor = StochasticDurationPredictor(16, 0).eval()
    liven(predictor)
    return predictor


def hidden() -> Tensor:
    return torch.randn(2, 16, 12, generator=torch.Generator().manual_seed(1)) * MASK


def test_every_step_is_undone_by_its_inverse(predictor: StochasticDurationPredictor) -> None:
    z, hint = torch.randn(2, 2, 12) * MASK, hidden()
    for step in [*predictor.flows, *predictor.post_flows]:
        with torch.no_grad():
            there, _ = step(z, MASK, hint)
            torch.testing.assert_close(step.inverse(there, MASK, hint), z, atol=1e-4, rtol=1e-4)


def test_likely_durations_cost_less_after_learning(predictor: StochasticDurationPredictor) -> None:
    durations = torch.full((2, 1, 12), 4.0) * MASK
    optimiser = torch.optim.Adam(predictor.parameters(), 5e-3)

    def cost() -> Tensor:
        torch.manual_seed(0)
        return predictor(hidden(), MASK, durations).sum()

    before = cost().detach()
    for _ in range(30):
        optimiser.zero_grad()
        cost().backward()
        optimiser.step()
    assert cost().detach() < before - 10


def test_padding_does_not_count(predictor: StochasticDurationPredictor) -> None:
    noise, heard = torch.randn(2, 2, 12), hidden()
    durations = torch.full((2, 1, 12), 3.0)
    with pytest.MonkeyPatch.context() as patch, torch.no_grad():
        patch.setattr(torch, "randn", lambda b, c, t, device: noise[2 - b :, :, :t])
        together = predictor(heard, MASK, durations * MASK)
        alone = predictor(heard[1:, :, :7], MASK[1:, :, :7], durations[1:, :, :7])
    torch.testing.assert_close(together[1], alone[0], atol=1e-3, rtol=1e-4)


def test_the_text_encoder_gets_no_gradient(predictor: StochasticDurationPredictor) -> None:
    heard = hidden().requires_grad_()
    predictor(heard, MASK, torch.ones(2, 1, 12) * MASK).sum().backward()
    assert heard.grad is None


def test_without_noise_durations_are_always_the_same(predictor: StochasticDurationPredictor) -> None:
    with torch.no_grad():
        first, again = (predictor.sample(hidden(), MASK, 0.0) for _ in range(2))
    assert torch.equal(first, again)
    assert first.shape == (2, 1, 12)
