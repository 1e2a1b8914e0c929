import numpy as np
import pytest

from voxmatrix.audio.loudness_meter import SILENT_LUFS, integrated_lufs, measure_sounds


def tone(seconds: float, hz: float, decibels: float, rate_hz: int) -> np.ndarray:
    sound = 10 ** (decibels / 20) * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate_hz)) / rate_hz)
    return np.round(sound * 32767).astype(np.int16)


@pytest.mark.parametrize("rate_hz", [16000, 22050, 24000, 48000])
@pytest.mark.parametrize("decibels", [-20.0, -33.0])
def test_the_tone_of_the_standard_has_its_loudness(rate_hz: int, decibels: float) -> None:
    """BS.1770: a tone of 997 Hz at 0 dBFS in one channel has -3.01 LUFS."""
    (measured,) = measure_sounds([(tone(2, 997, decibels, rate_hz), 0)], rate_hz)
    assert integrated_lufs(measured.alone) == pytest.approx(decibels - 3.01, abs=0.1)


def test_gates_leave_out_silence_and_pauses() -> None:
    loud, pause = np.full(30, -20.0), np.full(100, -45.0)
    assert integrated_lufs(np.concatenate((loud, pause, np.full(50, -120.7)))) == pytest.approx(-20.0, abs=0.01)
    assert integrated_lufs(np.full(9, -120.7)) == integrated_lufs(np.zeros(0)) == SILENT_LUFS


def test_sounds_are_measured_as_if_they_were_alone() -> None:
    sounds = [(tone(0.95, 300, -10, 16000), 0), (tone(1.33, 500, -40, 16000), 4800), (tone(0.01, 500, -20, 16000), 99)]
    together = measure_sounds(sounds, 16000)
    for sound, one in zip(sounds, together, strict=True):
        assert np.array_equal(one.alone, measure_sounds([sound], 16000)[0].alone)
        assert len(one.alone) == max(1, len(sound[0]) // 1600 - 3)


def test_nothing_is_measured_as_nothing() -> None:
    assert measure_sounds([], 16000) == []
