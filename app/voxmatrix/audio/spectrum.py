"""Spectra, always in float32: half precision loses quiet bins, and cuFFT does not support bfloat16."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.tables.quality import HOP, N_FFT, N_MELS, SPEC_BINS

#: Devices on which autocast may be enabled. Others (DirectML, meta) do not support it, not even to disable it.
_AUTOCAST_DEVICES = ("cpu", "cuda", "xpu", "mps")


def without_autocast(tensor: Tensor) -> AbstractContextManager[Any]:
    """Disable autocast on the device of `tensor`: operations keep the precision of their inputs."""
    device = tensor.device.type
    if device in _AUTOCAST_DEVICES and torch.amp.is_autocast_available(device):
        return torch.autocast(device, enabled=False)
    return nullcontext()


class Spectrum(nn.Module):
    """Linear and mel spectra for one sample rate; window and filters are buffers of the module."""

    window: Tensor
    filters: Tensor

    def __init__(self, rate_hz: int) -> None:
        super().__init__()
        from torchaudio.functional import melscale_fbanks

        filters = melscale_fbanks(SPEC_BINS, 0.0, rate_hz / 2, N_MELS, rate_hz, norm="slaney", mel_scale="slaney")
        self.register_buffer("window", torch.hann_window(N_FFT), persistent=False)
        self.register_buffer("filters", filters.T.contiguous(), persistent=False)  # (80, 513)

    def linear(self, wave: Tensor) -> Tensor:
        """Magnitudes: wave (b, n) in -1..1 -> (b, 513, n // HOP)."""
        with without_autocast(wave):
            margin = (N_FFT - HOP) // 2
            padded = functional.pad(wave.float().unsqueeze(1), (margin, margin), "reflect").squeeze(1)
            bins = torch.stft(padded, N_FFT, HOP, window=self.window, center=False, return_complex=True)
            return torch.view_as_real(bins).square().sum(-1).add(1e-6).sqrt()

    def mel(self, linear: Tensor) -> Tensor:
        """Log of 80 mel bands: (b, 513, f) -> (b, 80, f)."""
        with without_autocast(linear):
            return torch.log((self.filters @ linear.float()).clamp_min(1e-5))
