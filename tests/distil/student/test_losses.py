"""What lies below the noise of a recording is not learned."""

import pytest
import torch
from torch import Tensor

from voxmatrix.distil.student.corpus import HOP, RATE_HZ
from voxmatrix.distil.student.losses import NOISE_BINS, MultiResolutionSTFTLoss, noise_floor

_FRAMES = 160


def speech() -> Tensor:
    """Half a second of harmonics, as much silence, and so on (n,)."""
    turns = torch.arange(_FRAMES * HOP) / RATE_HZ
    tones = torch.sin(2 * torch.pi * 120.0 * torch.arange(1, 40)[:, None] * turns).mean(0)
    return tones * ((2 * turns).long() % 2 == 0)


def noise(level: float, seed: int) -> Tensor:
    return level * torch.randn(_FRAMES * HOP, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("level", [1e-3, 4e-3])
def test_the_floor_is_above_the_noise_of_the_room(level: float) -> None:
    magnitude = level * (0.375 * 1024) ** 0.5  # of a bin, by a Hann window

    floor = noise_floor(speech() + noise(level, 1))

    assert floor.shape == (NOISE_BINS,)
    assert magnitude < float(floor.median()) < 4 * magnitude


def test_without_noise_there_is_no_floor() -> None:
    rising = torch.linspace(-80, 0, _FRAMES * HOP)  # dB
    assert float(noise_floor(speech() * 10 ** (rising / 20)).max()) < 0.02
    assert not noise_floor(torch.zeros(_FRAMES * HOP)).any()


def test_noise_hardly_counts_and_speech_does() -> None:
    loss, clean = MultiResolutionSTFTLoss(), speech()[None]
    recorded = clean + noise(2e-3, 1)
    floor, nothing = noise_floor(recorded[0])[None], torch.zeros(1, NOISE_BINS)

    without = loss.mel_distance(clean, recorded, nothing)
    assert loss.mel_distance(clean, recorded, floor) < 0.2 * without
    assert loss(clean, recorded, floor) < 0.3 * loss(clean, recorded, nothing)
    assert loss.mel_distance(0.5 * clean, recorded, floor) == pytest.approx(0.69, abs=0.1)
