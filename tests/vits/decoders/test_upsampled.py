"""What decoders do in batches is what they do alone: upsampling by a plain convolution, and zeros around a sentence."""

from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

from tests.examples import examples
from voxmatrix.tables.quality import HOP, quality
from voxmatrix.vits.decoders import make_decoder, upsampled


@given(
    channels=st.integers(1, 5),
    made=st.integers(1, 4),
    stride=st.integers(1, 8),
    steps=st.integers(1, 6),
    length=st.integers(1, 20),
    has_bias=st.booleans(),
    data=st.data(),
)
@settings(max_examples=examples(60))
def test_a_plain_convolution_upsamples_like_a_transposed_one(
    channels: int, made: int, stride: int, steps: int, length: int, has_bias: bool, data: Any
) -> None:
    taps = stride * steps
    padding = (taps - stride) // 2
    if (taps - stride) % 2:
        return  # such a kernel makes one sample more
    torch.manual_seed(data.draw(st.integers(0, 99)))
    x, weight = torch.randn(2, channels, length), torch.randn(channels, made, taps)
    bias = torch.randn(made) if has_bias else None

    wanted = functional.conv_transpose1d(x, weight, bias, stride=stride, padding=padding)

    torch.testing.assert_close(upsampled(x, weight, bias, stride, padding), wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("name", "speakers"), [("tiny", 0), ("tiny", 8), ("fast_x_low", 0), ("high", 0)])
def test_frames_inside_a_mask_sound_as_alone(name: str, speakers: int) -> None:
    torch.manual_seed(0)
    row = quality(name)
    decoder = make_decoder(row, speakers).eval()
    z, speaker = torch.randn(2, row.inter_channels, 9), torch.randn(2, speakers, 1) if speakers else None
    mask = torch.zeros(2, 1, 16)
    mask[:, :, 3:12] = 1
    around = torch.randn(2, row.inter_channels, 16)
    around[:, :, 3:12] = z

    with torch.no_grad():
        alone, inside = decoder(z, speaker), decoder(around, speaker, mask)[:, :, 3 * HOP : 12 * HOP]

    torch.testing.assert_close(inside, alone, rtol=1e-4, atol=1e-5 * float(alone.abs().max()))
