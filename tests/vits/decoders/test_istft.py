"""The inverse transform is exact, and its quality is recognised by its weights."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional

from voxmatrix.piper.engines.torch import speaking_generator
from voxmatrix.tables.quality import HOP, quality
from voxmatrix.vits.checkpoint.checkpoint import piper_hyper_parameters, piper_state, read_checkpoint
from voxmatrix.vits.decoders import make_decoder
from voxmatrix.vits.decoders.istft import LOW_BINS, LOW_WINDOW_HOPS, WINDOW_HOPS, FourierDecoder
from voxmatrix.vits.synthesizer import Synthesizer


def decoder() -> FourierDecoder:
    made = make_decoder(quality("fast"), 0)
    assert isinstance(made, FourierDecoder)
    return made


def test_spectra_become_the_samples_they_were_taken_of() -> None:
    made, length = decoder(), WINDOW_HOPS * 32
    wave = torch.randn(2, 32 * 40)
    padded = functional.pad(wave, (length // 2 - 16, length // 2 - 16))
    spectra = torch.stft(padded, length, 32, window=torch.hann_window(length), center=False, return_complex=True)

    again = made.head.samples(spectra.real, spectra.imag)

    inner = slice(length, -length)
    assert torch.allclose(again[:, 0, inner], wave[:, inner], atol=1e-5)


def test_low_frequencies_become_the_samples_they_were_taken_of() -> None:
    head, length = decoder().low_head, LOW_WINDOW_HOPS * 32
    wave = torch.sin(torch.arange(32 * 60) * 2 * math.pi * 200 / 22050)[None]
    padded = functional.pad(wave, (length // 2 - 16, length // 2 - 16))
    spectra = torch.stft(padded, length, 32, window=torch.hann_window(length), center=False, return_complex=True)

    again = head.samples(spectra.real[:, :LOW_BINS], spectra.imag[:, :LOW_BINS])

    inner = slice(length, -length)
    assert torch.allclose(again[:, 0, inner], wave[:, inner], atol=1e-3)


def test_a_frame_becomes_a_hop() -> None:
    assert decoder()(torch.randn(2, 192, 7)).shape == (2, 1, 7 * HOP)


def test_training_computes_the_same_as_speaking() -> None:
    made, z = decoder(), torch.randn(2, 192, 7)
    for head in (made.head, made.low_head):
        nn.init.normal_(head.magnitude.bias)

    wave = made(z)

    with torch.no_grad():
        spoken = made(z)
    assert wave.requires_grad
    assert torch.allclose(spoken, wave, atol=1e-5 * float(spoken.abs().max()))


def test_under_autocast_spectra_keep_their_precision() -> None:
    made, z = decoder().eval(), torch.randn(1, 192, 8)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        assert made(z).dtype == torch.float32


def test_loud_magnitudes_are_limited() -> None:
    made = decoder().eval()
    with torch.no_grad():
        made.head.magnitude.bias.fill_(1e4)
        assert made(torch.randn(1, 192, 8)).isfinite().all()


@pytest.mark.parametrize("speakers", [1, 3])
def test_a_checkpoint_is_recognised(tmp_path: Path, speakers: int) -> None:
    row = quality("fast")
    generator = Synthesizer(row, 256, speakers)
    content: dict[str, Any] = {
        "state_dict": piper_state(generator),
        "hyper_parameters": piper_hyper_parameters(row, 256, speakers, 4),
    }
    torch.save(content, tmp_path / "fast.ckpt")

    read = read_checkpoint(tmp_path / "fast.ckpt")

    assert (read.quality, read.num_speakers, read.rate_hz) == ("fast", speakers, 22050)
    assert content["hyper_parameters"]["quality"] == "fast"
    speaking_generator(read)  # all weights are there
