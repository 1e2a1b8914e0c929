import subprocess

import numpy as np
import pytest
import soxr

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.audio.loudness_meter import (
    SILENT_LUFS,
    MeasuredSound,
    integrated_lufs,
    limit_true_peak,
    measure_sounds,
    sound_powers,
    true_peaks,
)


def tone(seconds: float, hz: float, decibels: float, rate_hz: int) -> np.ndarray:
    sound = 10 ** (decibels / 20) * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)
    return np.round(sound * 32767).astype(np.int16)


def measured(sounds: list[tuple[np.ndarray, int]], rate_hz: int) -> list[MeasuredSound]:
    """Sounds, each with the samples of the pause behind it."""
    return measure_sounds([(sound_powers(sound, rate_hz), len(sound), pause) for sound, pause in sounds], rate_hz)


@pytest.mark.parametrize("rate_hz", [16000, 22050, 24000, 48000])
@pytest.mark.parametrize("decibels", [-20.0, -33.0])
def test_the_tone_of_the_standard_has_its_loudness(rate_hz: int, decibels: float) -> None:
    """BS.1770: a tone of 997 Hz at 0 dBFS in one channel has -3.01 LUFS."""
    (found,) = measured([(tone(2, 997, decibels, rate_hz), 0)], rate_hz)
    assert integrated_lufs(found.alone) == pytest.approx(decibels - 3.01, abs=0.01)


def test_gates_leave_out_silence_and_pauses() -> None:
    loud, pause = np.full(30, -20.0), np.full(100, -45.0)
    assert integrated_lufs(np.concatenate((loud, pause, np.full(50, -120.7)))) == pytest.approx(-20.0, abs=0.01)
    assert integrated_lufs(np.full(9, -120.7)) == integrated_lufs(np.zeros(0)) == SILENT_LUFS


def test_sounds_are_measured_as_if_they_were_alone() -> None:
    sounds = [(tone(0.95, 300, -10, 16000), 0), (tone(1.33, 500, -40, 16000), 4800), (tone(0.01, 500, -20, 16000), 99)]
    together = measured(sounds, 16000)
    for sound, one in zip(sounds, together, strict=True):
        assert np.array_equal(one.alone, measured([sound], 16000)[0].alone)
        assert len(one.alone) == max(1, len(sound[0]) // 1600 - 3)


def test_what_it_measures_is_what_ffmpeg_measures() -> None:
    noise = np.random.default_rng(1).standard_normal(10 * 48000)
    sound = (np.convolve(noise, np.ones(40) / 40)[: len(noise)] * np.linspace(300, 9000, len(noise))).astype(np.int16)
    heard = subprocess.run(
        [ffmpeg_program(), "-f", "s16le", "-ar", "48000", "-ac", "1", "-i", "-", "-af", "ebur128", "-f", "null", "-"],
        input=sound.tobytes(),
        capture_output=True,
        check=True,
    ).stderr.decode()
    (found,) = measured([(sound, 0)], 48000)
    by_ffmpeg = float(heard[heard.rindex("Integrated loudness") :].partition("I:")[2].split()[0])
    assert integrated_lufs(found.alone) == pytest.approx(by_ffmpeg, abs=0.1)


def test_nothing_is_measured_as_nothing() -> None:
    assert measure_sounds([], 16000) == []


def sampled_tone(hz: float, phase: float, amplitude: float) -> np.ndarray:
    fade = np.minimum(1, np.minimum(np.arange(16000), np.arange(16000)[::-1]) / 800)
    return (amplitude * fade * np.sin(2 * np.pi * hz * np.arange(16000) / 16000 + phase)).astype(np.float32)


def test_a_peak_between_the_samples_is_found() -> None:
    sound = sampled_tone(4000, np.pi / 4, 1.0)
    assert np.abs(sound).max() < 0.71
    assert true_peaks(sound).max() == pytest.approx(1.0, abs=0.02) and len(true_peaks(sound)) == len(sound)


@pytest.mark.parametrize(("hz", "phase", "amplitude"), [(4000, np.pi / 4, 1.0), (440, 0, 3.0), (2667, 0.3, 1.5)])
def test_no_true_peak_is_above_the_ceiling(hz: float, phase: float, amplitude: float) -> None:
    limited = limit_true_peak(sampled_tone(hz, phase, amplitude), 16000, -2.0)
    assert limited.dtype == np.float32
    assert true_peaks(limited).max() <= 10 ** (-2.0 / 20)
    assert true_peaks(limited).max() > 10 ** (-3.0 / 20)


def test_it_is_what_a_resampler_finds() -> None:
    sound = np.random.default_rng(1).standard_normal(16000)
    sound = soxr.resample(sound, 2, 1).astype(np.float32)  # nothing near half the rate
    sound = soxr.resample(sound, 1, 2).astype(np.float32)
    dense = np.abs(soxr.resample(sound, 1, 4))[: 4 * len(sound)].reshape(-1, 4).max(axis=1)
    found = true_peaks(sound)
    assert found.max() == pytest.approx(dense.max(), rel=0.01)
    assert (found[100:-100] >= 0.98 * dense[100:-100]).all()


def test_points_are_sought_only_beside_loud_samples() -> None:
    sound = sampled_tone(4000, np.pi / 4, 1.0)
    loud, quiet = true_peaks(sound, 0.5), true_peaks(sound, 0.8)
    assert loud.max() == pytest.approx(1.0, abs=0.02)
    assert np.array_equal(quiet, np.abs(sound))


def test_what_is_quiet_stays_as_it_is() -> None:
    sound = sampled_tone(440, 0, 0.5)
    assert np.array_equal(limit_true_peak(sound, 16000, -2.0), sound)
    assert len(limit_true_peak(np.zeros(0, np.float32), 16000, -2.0)) == 0
