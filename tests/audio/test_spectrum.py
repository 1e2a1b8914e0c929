import math
import warnings

import pytest
import torch

from voxmatrix.audio.spectrum import Spectrum, without_autocast
from voxmatrix.tables.quality import HOP, N_FFT, N_MELS, SPEC_BINS


def tone(frequency_hz: float, rate_hz: int = 16000, seconds: float = 0.5) -> torch.Tensor:
    return (torch.arange(int(rate_hz * seconds)) * (2 * math.pi * frequency_hz / rate_hz)).sin().unsqueeze(0)


@pytest.mark.parametrize("samples", [8192, 8193, 8447, 8448])
def test_there_is_a_frame_for_every_hop(samples: int) -> None:
    spectrum = Spectrum(16000)
    linear = spectrum.linear(torch.zeros(2, samples))
    assert linear.shape == (2, SPEC_BINS, samples // HOP)
    assert spectrum.mel(linear).shape == (2, N_MELS, samples // HOP)


def test_a_tone_stands_at_its_frequency() -> None:
    linear = Spectrum(16000).linear(tone(1000))
    assert (linear[0, :, 2:-2].argmax(0) == round(1000 * N_FFT / 16000)).all()


def test_silence_has_a_floor_and_a_gradient() -> None:
    wave = torch.zeros(1, 4096, requires_grad=True)
    spectrum = Spectrum(22050)
    mel = spectrum.mel(spectrum.linear(wave))
    assert torch.isfinite(mel).all()
    mel.sum().backward()
    assert wave.grad is not None
    assert torch.isfinite(wave.grad).all()


def test_spectra_are_float32_whatever_the_precision() -> None:
    spectrum = Spectrum(22050)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        linear = spectrum.linear(torch.randn(1, 4096).bfloat16())
        assert linear.dtype == spectrum.mel(linear.bfloat16()).dtype == torch.float32


def test_nothing_of_it_is_saved() -> None:
    assert Spectrum(22050).state_dict() == {}


@pytest.mark.peers
@pytest.mark.parametrize("rate_hz", [16000, 22050])
def test_spectra_are_pipers(rate_hz: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from piper.train.vits import mel_processing

        mel_processing.mel_basis.clear()  # it forgets that filters depend on the rate
        wave = torch.randn(2, 16000, generator=torch.Generator().manual_seed(1)) * 0.2
        theirs = mel_processing.spectrogram_torch(wave, N_FFT, rate_hz, HOP, N_FFT, center=False)
        their_mel = mel_processing.spec_to_mel_torch(theirs, N_FFT, N_MELS, rate_hz, 0.0, None)
    spectrum = Spectrum(rate_hz)
    linear = spectrum.linear(wave)
    torch.testing.assert_close(linear, theirs, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(spectrum.mel(linear), their_mel, atol=1e-3, rtol=1e-3)


def test_a_surrounding_autocast_is_left() -> None:
    x = torch.randn(4, 4)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (x @ x).dtype == torch.bfloat16
        with without_autocast(x):
            assert (x @ x).dtype == torch.float32
        assert (x @ x).dtype == torch.bfloat16


def test_a_device_without_autocast_is_no_trouble() -> None:
    x = torch.zeros(4, 4, device="meta")
    with without_autocast(x):
        assert (x @ x).dtype == torch.float32
