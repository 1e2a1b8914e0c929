"""Recordings that an engine can imitate, or not."""

from pathlib import Path

import numpy as np
import soundfile

RATE_HZ = 24_000


def recording(
    path: Path, seconds: float = 6.0, *, gain: float = 0.3, noise: float = 0.0005, rate_hz: int = RATE_HZ
) -> Path:
    """Something like speech: syllables of a buzz, and pauses, above some noise."""
    times = np.arange(round(seconds * rate_hz)) / rate_hz
    syllables = np.clip(np.sin(2 * np.pi * 2.5 * times), 0, None) * (np.sin(2 * np.pi * 0.4 * times) > -0.7)
    harmonics = range(1, round(0.4 * rate_hz / 120))  # as wide as a microphone hears
    buzz = sum(np.sin(2 * np.pi * 120 * number * times) / number for number in harmonics)
    numbers = np.random.default_rng(1)
    soundfile.write(
        path, np.clip(gain * syllables * buzz + noise * numbers.standard_normal(len(times)), -1, 1), rate_hz
    )
    return path
