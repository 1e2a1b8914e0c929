import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from tests.examples import examples
from voxmatrix.vits.layers.constants import BINS, TAIL
from voxmatrix.vits.layers.splines import spline


def random_shape(seed: int, spread: float, size: int = 64) -> tuple[Tensor, Tensor, Tensor]:
    random = torch.Generator().manual_seed(seed)
    widths, heights = (torch.randn(size, BINS, generator=random) * spread for _ in range(2))
    return widths, heights, torch.randn(size, BINS - 1, generator=random) * spread


@settings(max_examples=examples(50))
@given(seed=st.integers(0, 10_000), spread=st.floats(0.0, 3.0))
def test_bending_back_gives_what_was_bent(seed: int, spread: float) -> None:
    shape = random_shape(seed, spread)
    x = torch.linspace(-1.5 * TAIL, 1.5 * TAIL, 64)
    bent, log_derivative = spline(x, *shape)
    back, log_inverse = spline(bent, *shape, reverse=True)
    error = (back - x) * log_derivative.exp().clamp_max(1.0)  # where the curve is flat, little of x is left in y
    torch.testing.assert_close(error, torch.zeros(64), atol=2e-4, rtol=0)
    torch.testing.assert_close(log_inverse, -spline(back, *shape)[1], atol=1e-2, rtol=1e-2)


@settings(max_examples=examples(25))
@given(seed=st.integers(0, 10_000))
def test_bending_keeps_the_order(seed: int) -> None:
    widths, heights, slopes = (part[:1].expand(200, -1) for part in random_shape(seed, 2.0))
    bent, _ = spline(torch.linspace(-6.0, 6.0, 200), widths, heights, slopes)
    assert (bent.diff() > -1e-5).all(), "but for the last digit where the curve is flat"


def test_the_tails_are_straight() -> None:
    x = torch.tensor([-100.0, -TAIL - 1e-3, TAIL + 1e-3, 7.0])
    bent, log_derivative = spline(x, *random_shape(1, 2.0, 4))
    assert torch.equal(bent, x)
    assert torch.equal(log_derivative, torch.zeros(4))


def test_no_shape_is_the_identity() -> None:
    x = torch.linspace(-6.0, 6.0, 50)
    slopes = torch.full((50, BINS - 1), 0.54116)  # softplus of it is 1 - MINIMUM
    bent, log_derivative = spline(x, torch.zeros(50, BINS), torch.zeros(50, BINS), slopes)
    torch.testing.assert_close(bent, x, atol=1e-3, rtol=0)
    torch.testing.assert_close(log_derivative, torch.zeros(50), atol=1e-3, rtol=0)


def test_the_log_derivative_is_that_of_autograd() -> None:
    shape = [part.double() for part in random_shape(4, 1.0)]
    x = torch.linspace(-5.5, 5.5, 64).requires_grad_()
    bent, log_derivative = spline(x, *shape)
    (slope,) = torch.autograd.grad(bent.sum(), x)
    torch.testing.assert_close(log_derivative, slope.log(), atol=1e-3, rtol=1e-3)


def test_gradients_are_those_of_small_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tensor, "float", Tensor.double)
    shape = [part.double().requires_grad_() for part in random_shape(3, 1.0, 20)]
    x = torch.linspace(-5.5, 5.5, 20).double().requires_grad_()
    for reverse in (False, True):
        assert torch.autograd.gradcheck(lambda *given, way=reverse: spline(*given, reverse=way), (x, *shape))


def test_gradients_are_finite_in_the_box_on_its_edge_and_outside() -> None:
    shape = [part.requires_grad_() for part in random_shape(5, 10.0, 6)]
    x = torch.tensor([-1e6, -TAIL, 0.0, TAIL, 1e6, 4.9999]).requires_grad_()
    for reverse in (False, True):
        bent, log_derivative = spline(x, *shape, reverse=reverse)
        gradients = torch.autograd.grad((bent + log_derivative).sum(), [x, *shape])
        assert all(torch.isfinite(gradient).all() for gradient in gradients)
