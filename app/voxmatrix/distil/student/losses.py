"""How far a student is from its teacher: in filters, in spectra, and in mel bands."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.distil.student.corpus import HOP, RATE_HZ

MELS = 80
_MEL_WINDOW, _QUIETEST = 1024, 1e-3
NOISE_BINS = _MEL_WINDOW // 2 + 1
#: The noise of a recording's room: in each bin, what this share of the frames does not exceed, smoothed over so many
#: bins. Times this, that is two or three times its effective magnitude.
_QUIET_SHARE, _SMOOTHED_BINS, _ABOVE_NOISE = 0.1, 17, 4.0
#: Windows of the spectra, each with hops of a quarter. The shortest one, within a period, teaches phases.
_WINDOWS = (240, 600, 1200, 2048)
_MEL_WEIGHT = 2.0
#: Phases count as their bins do: by the root of the magnitude, from one to another limit of its logarithm.
_QUIET, _LOUD = -7.0, 2.0
_ADDED_PHASE_WEIGHT = 3.0


def noise_floor(wave: Tensor) -> Tensor:
    """The magnitudes of a recording (n,) below which its room is heard rather than its speaker (NOISE_BINS,).

    A room's noise cannot be known from a text, and logarithms would let it count as much as speech: with 44 dB between
    both, the mel distance of a clean recording to the same one with noise is 0.6. Silence without samples is left out.
    """
    window = torch.hann_window(_MEL_WINDOW, device=wave.device)
    bins = torch.stft(wave, _MEL_WINDOW, HOP, window=window, return_complex=True).abs()
    heard = bins[:, bins.amax(0) > _QUIETEST]
    if not heard.shape[1]:
        return torch.zeros(NOISE_BINS, device=wave.device)
    quiet = torch.quantile(heard, _QUIET_SHARE, dim=1)[None, None]
    smooth = functional.avg_pool1d(quiet, _SMOOTHED_BINS, 1, _SMOOTHED_BINS // 2, count_include_pad=False)
    return _ABOVE_NOISE * smooth[0, 0]


class MelBands(nn.Module):
    """Log of mel bands: samples (b, f * HOP) -> (b, MELS, f).

    With magnitudes that are noise (b, NOISE_BINS), what is below them hardly counts.
    """

    window: Tensor
    filters: Tensor

    def __init__(self) -> None:
        super().__init__()
        from torchaudio.functional import melscale_fbanks

        filters = melscale_fbanks(_MEL_WINDOW // 2 + 1, 0.0, RATE_HZ / 2, MELS, RATE_HZ)
        self.register_buffer("window", torch.hann_window(_MEL_WINDOW), persistent=False)
        self.register_buffer("filters", filters.T.contiguous(), persistent=False)

    def forward(self, wave: Tensor, noise: Tensor | None = None) -> Tensor:
        """The bands."""
        bins = torch.stft(wave, _MEL_WINDOW, HOP, window=self.window, return_complex=True).abs()
        floor = _QUIETEST if noise is None else _QUIETEST + self.filters @ noise[..., None]
        return torch.log(self.filters @ bins[..., : wave.shape[-1] // HOP] + floor)


class MultiResolutionSTFTLoss(nn.Module):
    """Log-magnitudes and spectral convergence in windows of four lengths, and mel bands; no phases.

    Differences below the noise of what is learned (b, NOISE_BINS), see `noise_floor`, hardly count.
    """

    def __init__(self) -> None:
        super().__init__()
        self.bands = MelBands()
        for length in _WINDOWS:
            self.register_buffer(f"window_{length}", torch.hann_window(length), persistent=False)

    def forward(self, predicted: Tensor, target: Tensor, noise: Tensor) -> Tensor:
        """Samples (b, n) of both -> ()."""
        distances = []
        for length in _WINDOWS:
            window, share = getattr(self, f"window_{length}"), length / _MEL_WINDOW
            own = functional.interpolate(noise[:, None], length // 2 + 1, mode="linear", align_corners=True)
            floor = _QUIETEST * share + math.sqrt(share) * own.transpose(1, 2)
            ours, theirs = (
                torch.stft(wave, length, length // 4, window=window, return_complex=True).abs()
                for wave in (predicted, target)
            )
            logs = functional.l1_loss(torch.log(ours + floor), torch.log(theirs + floor))
            distances.append(logs + 0.5 * (ours - theirs).norm() / theirs.norm())
        return torch.stack(distances).mean() + _MEL_WEIGHT * functional.l1_loss(
            self.bands(predicted, noise), self.bands(target, noise)
        )

    def mel_distance(self, predicted: Tensor, target: Tensor, noise: Tensor) -> Tensor:
        """The mean absolute difference of log mel bands, where those of the target are above its noise."""
        theirs = self.bands(target)
        heard = theirs.exp() > self.bands.filters @ noise[..., None]
        distances: Tensor = (self.bands(predicted) - theirs)[heard].abs()
        return distances.mean()


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
