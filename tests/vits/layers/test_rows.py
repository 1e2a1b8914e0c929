"""Convolutions in rows give what those of torch give."""

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.nn.utils import parametrize

from voxmatrix.vits.layers.norm import weight_norm
from voxmatrix.vits.layers.rows import convolve, convolve_plane, convolve_rows, suits_rows


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 2e-5), (torch.float64, 1e-13)])
@pytest.mark.parametrize("length", [1, 2, 7, 8, 33])
@pytest.mark.parametrize(
    ("channels", "made", "taps", "stride"),
    [(64, 70, 5, 1), (96, 64, 3, 1), (1, 32, 5, 3), (32, 128, 5, 3), (65, 1, 3, 1), (64, 64, 1, 1), (8, 4, 41, 4)],
)
def test_samples_and_gradients_are_those_of_torch(
    length: int, channels: int, made: int, taps: int, stride: int, dtype: torch.dtype, bound: float
) -> None:
    torch.manual_seed(length)
    conv = nn.Conv1d(channels, made, taps, stride, padding=taps // 2, dtype=dtype)
    x = torch.randn(3, channels, length, dtype=dtype, requires_grad=True)
    wanted = conv(x)
    gradient = torch.randn_like(wanted)

    found = convolve_rows(conv, x.mT).mT

    assert found.shape == wanted.shape
    given = (x, *conv.parameters())
    for ours, theirs in zip(
        (found.detach(), *torch.autograd.grad(found, given, gradient)),
        (wanted.detach(), *torch.autograd.grad(wanted, given, gradient)),
        strict=True,
    ):
        assert float((ours - theirs).abs().max()) <= bound * float(theirs.abs().max())


def test_columns_of_a_plane_are_independent_rows() -> None:
    conv = nn.Conv2d(16, 24, (5, 1), (3, 1), padding=(2, 0))
    x = torch.randn(2, 16, 20, 7)

    found = convolve_rows(conv, x.permute(0, 3, 2, 1).flatten(0, 1))

    torch.testing.assert_close(found.unflatten(0, (2, 7)).permute(0, 3, 2, 1), conv(x), atol=1e-5, rtol=1e-5)


def test_only_for_training_and_on_a_cpu_in_full_precision() -> None:
    x = torch.zeros(1)
    assert suits_rows(x) and suits_rows(x.double()) and suits_rows(x.bfloat16().to("meta"))
    assert not suits_rows(x.half()) and not suits_rows(x.bfloat16())
    with torch.autocast("cpu", torch.bfloat16):
        assert not suits_rows(x)
    with torch.no_grad():
        assert not suits_rows(x) and not suits_rows(x.to("meta"))


@pytest.mark.parametrize(("training", "strides"), [(True, (36, 1, 4)), (False, (36, 9, 1))])
def test_on_a_gpu_channels_are_the_last_dimension_in_memory_in_training(training: bool, strides: tuple[int]) -> None:
    conv = nn.Conv1d(3, 4, 1, device="meta").train(training)
    made = convolve(conv, torch.empty(2, 3, 9, device="meta"))
    assert (made.shape, made.stride()) == ((2, 4, 9), strides)


@pytest.mark.parametrize(
    "conv",
    [
        nn.Conv1d(4, 6, 3, dilation=5, padding=5),
        nn.Conv1d(4, 1, 7, padding=3, bias=False),
        nn.ConvTranspose1d(4, 2, 16, 8, 4),
    ],
)
def test_a_plane_of_one_line_is_convolved_as_the_line(conv: nn.Conv1d | nn.ConvTranspose1d) -> None:
    x = torch.randn(2, 4, 30)
    torch.testing.assert_close(convolve_plane(conv, x.unsqueeze(2)).squeeze(2), conv(x), atol=1e-5, rtol=1e-5)


def test_what_is_made_of_a_normalised_weight_is_made_once_for_all_calls_with_it() -> None:
    conv = weight_norm(nn.Conv1d(2, 3, 5, padding=2))
    x = torch.randn(1, 9, 2)
    with parametrize.cached():
        found = convolve_rows(conv, x)
        matrix = conv.weight._made  # type: ignore[union-attr]
        assert torch.equal(convolve_rows(conv, x), found)
        assert conv.weight._made is matrix  # type: ignore[union-attr]
    assert not hasattr(conv.weight, "_made")


def test_fake_tensors_leave_nothing_behind() -> None:
    conv, x = nn.Conv1d(64, 64, 5, padding=2), torch.randn(1, 9, 64)
    with FakeTensorMode(allow_non_fake_inputs=True):
        convolve_rows(conv, torch.empty(1, 9, 64))
    assert type(convolve_rows(conv, x)) is torch.Tensor
