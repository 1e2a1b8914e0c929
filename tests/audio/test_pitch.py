"""Tones have their frequency, noise has no pitch, and nothing is too short or too quiet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.audio.pitch import pitch
from voxmatrix.audio.waves import Samples


def voice(hz: float, rate_hz: int = 22050, seconds: float = 0.5) -> Samples:
    time = np.arange(int(seconds * rate_hz)) / rate_hz
    return sum(np.sin(2 * np.pi * hz * n * time + n) / n for n in range(1, 9)).astype(np.float32) / 3


@given(hz=st.floats(75, 400), rate_hz=st.sampled_from([16000, 22050]))
def test_a_tone_has_its_frequency(hz: float, rate_hz: int) -> None:
    found = pitch(voice(hz, rate_hz), rate_hz)

    assert found.voiced.all()
    assert np.abs(1200 * np.log2(found.hz / hz)).max() < 15
    assert found.harmonicity.min() > 0.97


def test_noise_is_hardly_harmonic() -> None:
    noise = np.random.default_rng(0).normal(size=22050).astype(np.float32)

    assert pitch(noise, 22050).harmonicity.mean() < 0.35


@pytest.mark.parametrize("length", [0, 1, 500, 735, 736])
def test_what_is_too_short_has_no_frames(length: int) -> None:
    assert len(pitch(np.ones(length, np.float32), 22050).hz) <= 1


def test_silence_is_not_voiced() -> None:
    found = pitch(np.concatenate([voice(120), np.zeros(22050, np.float32)]), 22050)

    assert found.voiced[:40].all() and not found.voiced[-80:].any()
    assert not pitch(np.zeros(9000, np.float32), 22050).voiced.any()
