"""How far the samples of the fast network are from those of the original."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from voxmatrix.audio.spectrum import Spectrum
from voxmatrix.tables.quality import N_FFT

#: Windows of the spectra, each with hops of a quarter. One has the length that mel bands are made of.
WINDOWS = (128, 256, 512, N_FFT)
_QUIETEST = 1e-3
#: With a weight of 0.5, phases were not learned in 1,500 steps; with 4 to 20, within 120
#: (docs/inside/measured-by-hand.md).
_COMPLEX_WEIGHT = 14.0
#: Up to which frequency, in Hz, they have which share of it: most where the harmonics are that make the pitch. With the
#: original's samples up to 600 Hz, most frames that lost it have it again. Phases of noise, above, cannot be heard.
_SHARES = ((600.0, 7.0), (1200.0, 3.0), (4000.0, 1.0), (math.inf, 0.3))


class ComplexSTFTLoss(nn.Module):
    """Log-magnitudes, compressed complex spectra, and mel bands. Complex spectra keep the pitch: without them words are
    learned soon, but not the phases of their harmonics."""

    def __init__(self, rate_hz: int) -> None:
        super().__init__()
        self.spectrum = Spectrum(rate_hz)
        for length in WINDOWS:
            frequencies = torch.linspace(0, rate_hz / 2, length // 2 + 1)
            shares = [next(share for most, share in _SHARES if one <= most) for one in frequencies.tolist()]
            self.register_buffer(f"window_{length}", torch.hann_window(length), persistent=False)
            self.register_buffer(f"shares_{length}", torch.tensor(shares).unsqueeze(1), persistent=False)

    def forward(self, predicted: Tensor, target: Tensor) -> Tensor:
        """Samples (b, n) of both -> ()."""
        distances = []
        for length in WINDOWS:
            (ours, our_parts), (theirs, their_parts) = self._spectra(predicted, length), self._spectra(target, length)
            shares = getattr(self, f"shares_{length}")
            logs = functional.l1_loss(ours.clamp_min(_QUIETEST).log(), theirs.clamp_min(_QUIETEST).log())
            parts = ((our_parts - their_parts).abs() * shares).mean()
            distances.append((logs + _COMPLEX_WEIGHT * parts) / len(WINDOWS))
            if length == N_FFT:
                distances.append(functional.l1_loss(self.spectrum.mel(ours), self.spectrum.mel(theirs)))
        return torch.stack(distances).sum()

    def mel_distance(self, predicted: Tensor, target: Tensor) -> Tensor:
        """The mean absolute difference of 80 log mel bands."""
        ours, theirs = (self.spectrum.mel(self.spectrum.linear(wave)) for wave in (predicted, target))
        return functional.l1_loss(ours, theirs)

    def _spectra(self, wave: Tensor, length: int) -> tuple[Tensor, Tensor]:
        """Magnitudes (b, bins, n), and both parts divided by their root (2, b, bins, n)."""
        bins = torch.stft(wave, length, length // 4, window=getattr(self, f"window_{length}"), return_complex=True)
        parts = torch.view_as_real(bins).movedim(-1, 0).contiguous()  # in one piece: half the time on a CPU
        sizes = (parts[0].square() + parts[1].square() + 1e-9).sqrt()
        return sizes, parts * sizes.rsqrt()
