"""How far a student is from its teacher: in filters, in spectra, and in mel bands."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.distil.student.corpus import HOP, RATE_HZ

MELS = 80
_MEL_WINDOW, _QUIETEST = 1024, 1e-3
#: Windows of the spectra, each with hops of a quarter. The shortest one, within a period, teaches phases.
_WINDOWS = (240, 600, 1200, 2048)
_MEL_WEIGHT = 2.0
#: Phases count as their bins do: by the root of the magnitude, from one to another limit of its logarithm.
_QUIET, _LOUD = -7.0, 2.0
_ADDED_PHASE_WEIGHT = 3.0


class MelBands(nn.Module):
    """Log of mel bands: samples (b, f * HOP) -> (b, MELS, f)."""

    window: Tensor
    filters: Tensor

    def __init__(self) -> None:
        super().__init__()
        from torchaudio.functional import melscale_fbanks

        filters = melscale_fbanks(_MEL_WINDOW // 2 + 1, 0.0, RATE_HZ / 2, MELS, RATE_HZ)
        self.register_buffer("window", torch.hann_window(_MEL_WINDOW), persistent=False)
        self.register_buffer("filters", filters.T.contiguous(), persistent=False)

    def forward(self, wave: Tensor) -> Tensor:
        """The bands."""
        bins = torch.stft(wave, _MEL_WINDOW, HOP, window=self.window, return_complex=True).abs()
        return torch.log(self.filters @ bins[..., : wave.shape[-1] // HOP] + _QUIETEST)


class MultiResolutionSTFTLoss(nn.Module):
    """Log-magnitudes and spectral convergence in windows of four lengths, and mel bands; no phases."""

    def __init__(self) -> None:
        super().__init__()
        self.bands = MelBands()
        for length in _WINDOWS:
            self.register_buffer(f"window_{length}", torch.hann_window(length), persistent=False)

    def forward(self, predicted: Tensor, target: Tensor) -> Tensor:
        """Samples (b, n) of both -> ()."""
        distances = []
        for length in _WINDOWS:
            window, floor = getattr(self, f"window_{length}"), _QUIETEST * length / _MEL_WINDOW
            ours, theirs = (
                torch.stft(wave, length, length // 4, window=window, return_complex=True).abs()
                for wave in (predicted, target)
            )
            logs = functional.l1_loss(torch.log(ours + floor), torch.log(theirs + floor))
            distances.append(logs + 0.5 * (ours - theirs).norm() / theirs.norm())
        return torch.stack(distances).mean() + _MEL_WEIGHT * self.mel_distance(predicted, target)

    def mel_distance(self, predicted: Tensor, target: Tensor) -> Tensor:
        """The mean absolute difference of log mel bands."""
        return functional.l1_loss(self.bands(predicted), self.bands(target))


def filter_loss(predicted: Tensor, target: Tensor, voiced: Tensor) -> Tensor:
    """Filters (b, f, 4, bins) of both, and which frames are voiced (b, f, 1) -> ()."""
    harmonic, phase, added, added_phase = predicted.unbind(2)
    harmonic_target, phase_target, added_target, added_phase_target = target.unbind(2)
    turned = math.pi * (torch.tanh(phase) - torch.tanh(phase_target))
    return (
        functional.l1_loss(harmonic, harmonic_target)
        + functional.l1_loss(added, added_target)
        + _mean(1 - torch.cos(turned), voiced * _weight(harmonic_target))
        + _ADDED_PHASE_WEIGHT * _mean(1 - torch.cos(added_phase - added_phase_target), _weight(added_target))
    )


def _weight(magnitudes: Tensor) -> Tensor:
    return torch.exp(0.5 * magnitudes.clamp(_QUIET, _LOUD))


def _mean(values: Tensor, weights: Tensor) -> Tensor:
    return (values * weights).sum() / weights.sum().clamp_min(1e-9)
