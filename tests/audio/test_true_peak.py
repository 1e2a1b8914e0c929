import numpy as np
import pytest

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


def test_what_is_quiet_stays_as_it_is() -> None:
    sound = tone(440, 0, 0.5)
    assert np.array_equal(limit_true_peak(sound, 16000, -2.0), sound)
    assert len(limit_true_peak(np.zeros(0, np.float32), 16000, -2.0)) == 0
