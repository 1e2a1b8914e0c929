"""From filters to samples: pulses at the pitch, their spectrum times one filter, and another added.

    spectrum = exp(harmonic) * e^(i pi tanh(phase)) * STFT(pulses) + exp(added) * e^(i added_phase)

The vocoder is that of hibari (github.com/MMWilliams/hibari, Apache-2.0), whose filters may thus be learned as they are.
"""

import math

import torch
from torch import Tensor
from torch.nn import functional

from voxmatrix.distil.student.corpus import HOP, RATE_HZ

WINDOW = 4 * HOP
BINS = WINDOW // 2 + 1
#: Below this, a frame is unvoiced; harmonics up to that are made.
LOWEST_HZ, HIGHEST_HZ = 40.0, 11_000.0
#: exp() of more would be no speech.
LOUDEST = 6.0
_NEAR_ZERO = 1e-5


def pulses(hz: Tensor) -> Tensor:
    """Pulses of equal harmonics, 0 where unvoiced: pitch of frames (b, f), in the middle of each -> (b, f, HOP).

    Between frames the pitch is a straight line, but never below LOWEST_HZ, and so the phase is known in closed form.
    """
    # A row reaches from the middle of a frame to that of the next one, which is half a hop later than its frame.
    padded = torch.cat([hz[:, :1], hz, hz[:, -1:]], 1)
    start, end = padded[:, :-1, None], padded[:, 1:, None]
    rise = end - start
    shares = torch.arange(1, HOP + 1, device=hz.device, dtype=hz.dtype) / HOP
    cycles = _cycles(start, rise, torch.ones_like(shares[:1]))[..., 0].to(torch.float64)
    passed = cycles.cumsum(1) - cycles - hz[:, :1].clamp_min(LOWEST_HZ) * (0.5 * HOP / RATE_HZ)
    turns = (passed - passed.floor()).to(hz.dtype)[..., None] + _cycles(start, rise, shares)
    # Both sines are even together, and near whole turns their ratio is that of their arguments.
    turns = (turns - turns.round()).abs().clamp_min(_NEAR_ZERO)
    between = start + rise * (shares - 0.5 / HOP)
    harmonics = (HIGHEST_HZ / between.clamp_min(LOWEST_HZ)).floor() + 0.5
    ratio = torch.sin(harmonics * (2 * math.pi) * turns) / torch.sin(math.pi * turns)
    made = (0.5 * ratio - 0.5) * (between > LOWEST_HZ)
    return made.flatten(1)[:, HOP // 2 : HOP // 2 + hz.shape[1] * HOP].reshape(hz.shape[0], -1, HOP)


def _cycles(start: Tensor, rise: Tensor, shares: Tensor) -> Tensor:
    """Cycles in the first part of a row: the area under a line that rises from start, cut off below LOWEST_HZ."""
    above_start = (start - LOWEST_HZ).clamp_min(0)
    above = (start + rise * shares - LOWEST_HZ).clamp_min(0)
    width = torch.minimum(torch.maximum(above_start, above) / rise.abs().clamp_min(1e-6), shares)
    return (LOWEST_HZ * shares + width * (above_start + above) / 2) * (HOP / RATE_HZ)


def rendered(filters: Tensor, source: Tensor) -> Tensor:
    """Samples of filters (b, f, 4, BINS) and pulses (b, f * HOP) -> (b, f * HOP)."""
    frames = filters.shape[1]
    window = torch.hann_window(WINDOW, device=source.device)
    spectrum = torch.stft(source, WINDOW, HOP, window=window, return_complex=True)[..., :frames] / HOP
    harmonic, phase, added, added_phase = filters.permute(2, 0, 3, 1)
    made = torch.polar(torch.exp(harmonic.clamp_max(LOUDEST)), math.pi * torch.tanh(phase)) * spectrum
    made = made + torch.polar(torch.exp(added.clamp_max(LOUDEST)), added_phase)
    made = torch.view_as_complex(functional.pad(torch.view_as_real(made), (0, 0, 0, 1)))
    return torch.istft(made, WINDOW, HOP, window=window, length=frames * HOP)
