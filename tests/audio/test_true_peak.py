import numpy as np
import pytest
import soxr

from voxmatrix.audio.true_peak import limit_true_peak, true_peaks


def tone(hz: float, phase: float, amplitude: float) -> np.ndarray:
    fade = np.minimum(1, np.minimum(np.arange(16000), np.arange(16000)[::-1]) / 800)
    return (amplitude * fade * np.sin(2 * np.pi * hz * np.arange(16000) / 16000 + phase)).astype(np.float32)


def test_a_peak_between_the_samples_is_found() -> None:
    sound = tone(4000, np.pi / 4, 1.0)
    assert np.abs(sound).max() < 0.71
    assert true_peaks(sound).max() == pytest.approx(1.0, abs=0.02) and len(true_peaks(sound)) == len(sound)


@pytest.mark.parametrize(("hz", "phase", "amplitude"), [(4000, np.pi / 4, 1.0), (440, 0, 3.0), (2667, 0.3, 1.5)])
def test_no_true_peak_is_above_the_ceiling(hz: float, phase: float, amplitude: float) -> None:
    limited = limit_true_peak(tone(hz, phase, amplitude), 16000, -2.0)
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
    sound = tone(4000, np.pi / 4, 1.0)
    loud, quiet = true_peaks(sound, 0.5), true_peaks(sound, 0.8)
    assert loud.max() == pytest.approx(1.0, abs=0.02)
    assert np.array_equal(quiet, np.abs(sound))


def test_what_is_quiet_stays_as_it_is() -> None:
    sound = tone(440, 0, 0.5)
    assert np.array_equal(limit_true_peak(sound, 16000, -2.0), sound)
    assert len(limit_true_peak(np.zeros(0, np.float32), 16000, -2.0)) == 0
