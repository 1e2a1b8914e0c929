"""What is measured of real speech, and of the same with a fault of the microphone, the room or the file."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from voxmatrix.audio.measures.measure import measure
from voxmatrix.audio.measures.measures import Measures
from voxmatrix.audio.waves import Samples

SAMPLES = Path(__file__).parents[3] / "samples" / "en" / "wavs"
RATE_HZ = 16_000


@cache
def speech() -> Samples:
    """A sentence with half a second of a quiet room before and after it."""
    samples, _ = soundfile.read(SAMPLES / "en-01.flac", dtype="float32")
    return room(np.pad(samples, RATE_HZ // 2), -75.0)


def room(samples: Samples, level_dbfs: float) -> Samples:
    noise = np.random.default_rng(0).normal(0, 10 ** (level_dbfs / 20), len(samples))
    return (samples + noise).astype(np.float32)


def tone(hz: float, level: float) -> Samples:
    return (level * np.sin(2 * np.pi * hz * np.arange(len(speech())) / RATE_HZ)).astype(np.float32)


def echoing(samples: Samples) -> Samples:
    times = np.arange(RATE_HZ) / RATE_HZ
    reflections = 0.3 * np.random.default_rng(2).standard_normal(RATE_HZ) * np.exp(-6.9 * times / 0.9)
    reflections[0] = 1
    return (0.1 * np.convolve(samples, reflections)).astype(np.float32)


def clicked(samples: Samples) -> Samples:
    changed = samples.copy()
    changed[2000:2040] += 0.5
    return changed


def paused(samples: Samples) -> Samples:
    middle = len(samples) // 2
    return np.concatenate([samples[:middle], room(np.zeros(3 * RATE_HZ, np.float32), -75.0), samples[middle:]])


def test_good_speech_has_no_fault() -> None:
    one = measure(speech(), RATE_HZ)

    assert one.snr_db > 40 and abs(one.offset) < 0.001
    assert (one.hum_hz, one.clicks, one.flat_tops) == (0.0, 0, 0)
    assert one.edge_hz > 7000 and one.decay_db > 200
    assert 80 < one.voice_hz < 260
    assert 0.4 < one.before_seconds < 0.8 and 0.4 < one.after_seconds < 0.8 and one.pause_seconds < 0.6
    assert max(one.first_dbfs, one.last_dbfs) < one.speech_dbfs - 30


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        (lambda x: room(x, -30.0), lambda one: one.snr_db < 25),
        (lambda x: x + tone(50, 0.02), lambda one: one.hum_hz == 50 and abs(one.hum_dbfs + 37) < 2),
        (lambda x: x + tone(60, 0.01) + tone(120, 0.02), lambda one: one.hum_hz == 60 and abs(one.hum_dbfs + 37) < 2),
        (lambda x: x + tone(100, 0.01) + tone(150, 0.01), lambda one: one.hum_hz == 50),
        (lambda x: x + np.float32(0.1), lambda one: abs(one.offset - 0.1) < 0.01 and one.snr_db > 40),
        (lambda x: soxr.resample(soxr.resample(x, 16, 8), 8, 16), lambda one: 3600 < one.edge_hz < 4600),
        (lambda x: 0.5 * np.clip(x, -x.max() / 2, x.max() / 2), lambda one: one.flat_tops >= 5),
        (echoing, lambda one: one.decay_db < 150),
        (clicked, lambda one: one.clicks == 1 and abs(one.click_seconds - 0.125) < 0.01),
        (paused, lambda one: 2.9 < one.pause_seconds < 3.6 and 1 < one.pause_at < 3),
        (
            lambda x: np.concatenate([room(np.zeros(5 * RATE_HZ, np.float32), -50.0), x]),
            lambda one: one.before_seconds > 5,
        ),
        (lambda x: x[len(x) // 2 :], lambda one: one.first_dbfs > one.speech_dbfs - 20 > one.last_dbfs),
    ],
)
def test_a_fault_is_seen(change: Callable[[Samples], Samples], seen: Callable[[Measures], bool]) -> None:
    one = measure(np.asarray(change(speech()), np.float32), RATE_HZ)
    assert seen(one), one


def test_twice_as_fast_is_twice_as_high() -> None:
    slow, fast = measure(speech(), RATE_HZ), measure(speech(), 2 * RATE_HZ)
    assert fast.voice_hz == pytest.approx(2 * slow.voice_hz, rel=0.1)
    assert fast.active_seconds == pytest.approx(slow.active_seconds / 2, rel=0.1)


@pytest.mark.parametrize("count", [0, 100, 2000, 20_000])
def test_what_is_silent_or_short_can_be_measured(count: int) -> None:
    one = measure(np.zeros(count, np.float32), RATE_HZ)
    assert (one.speech_dbfs, one.hum_hz, one.clicks, one.voice_hz) == (-120.0, 0.0, 0, 0.0)
