"""How far the samples of the fast network are from those of the original."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.audio.spectrum import Spectrum

#: Windows of the spectra, each with hops of a quarter.
WINDOWS = (256, 512, 1024, 2048)
_QUIETEST = 1e-3
#: With a weight of 0.5, phases were not learned in 1,500 steps; with 4 to 20, within 120 (docs/measured-by-hand.md).
_COMPLEX_WEIGHT = 6.0


class SpectralLoss(nn.Module):
    """Log-magnitudes, compressed complex spectra, and mel bands. Complex spectra keep the pitch: without them words are
    learned soon, but not the phases of their harmonics."""

    def __init__(self, rate_hz: int) -> None:
        super().__init__()
        self.spectrum = Spectrum(rate_hz)
        for length in WINDOWS:
            self.register_buffer(f"window_{length}", torch.hann_window(length), persistent=False)

    def forward(self, made: Tensor, wanted: Tensor) -> Tensor:
        """Samples (b, n) of both -> ()."""
        total = self.mel_distance(made, wanted)
        for length in WINDOWS:
            ours, theirs = self._spectra(made, length), self._spectra(wanted, length)
            sizes = ours.square().sum(-1).add(1e-9).sqrt(), theirs.square().sum(-1).add(1e-9).sqrt()
            logs = [one.clamp_min(_QUIETEST).log() for one in sizes]
            compressed = [part / one.unsqueeze(-1).sqrt() for part, one in zip((ours, theirs), sizes, strict=True)]
            distances = [functional.l1_loss(first, second) for first, second in (logs, compressed)]
            total = total + (distances[0] + _COMPLEX_WEIGHT * distances[1]) / len(WINDOWS)
        return total

    def mel_distance(self, made: Tensor, wanted: Tensor) -> Tensor:
        """The mean absolute difference of 80 log mel bands."""
        ours, theirs = (self.spectrum.mel(self.spectrum.linear(wave)) for wave in (made, wanted))
        return functional.l1_loss(ours, theirs)

    def _spectra(self, wave: Tensor, length: int) -> Tensor:
        window = getattr(self, f"window_{length}")
        return torch.view_as_real(torch.stft(wave, length, length // 4, window=window, return_complex=True))
