"""Pulses have the pitch that is asked for, and both ways from filters to samples give the same."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.distil.student.conftest import SMALL
from voxmatrix.distil.student.batches import Scale
from voxmatrix.distil.student.corpus import HOP, RATE_HZ
from voxmatrix.distil.student.export import Voice
from voxmatrix.distil.student.fourier import COLUMNS, Fourier, bins_in_order
from voxmatrix.distil.student.training import Student
from voxmatrix.distil.student.waves import BINS, HIGHEST_HZ, LOWEST_HZ, WINDOW, pulses, rendered
from voxmatrix.text.symbols import NUM_SYMBOLS


@pytest.mark.parametrize("hz", [80.0, 123.4, 310.0])
def test_pulses_have_their_pitch_and_harmonics(hz: float) -> None:
    wave = pulses(torch.full((1, 80), hz)).flatten().numpy()

    spectrum = np.abs(np.fft.rfft(wave * np.hanning(len(wave))))
    lines = [spectrum[round(k * hz * len(wave) / RATE_HZ) + np.arange(-2, 3)].max() for k in range(1, 20)]

    between = [spectrum[round((k + 0.5) * hz * len(wave) / RATE_HZ)] for k in range(1, 20)]
    assert max(lines) < 2 * min(lines) and max(between) < 0.05 * min(lines)


@given(st.lists(st.just(0.0) | st.floats(41, 450), min_size=2, max_size=30))
def test_phases_go_on_from_frame_to_frame_as_a_sum_over_samples_does(hz: list[float]) -> None:
    made = pulses(torch.tensor([hz])).flatten().numpy()

    places = (np.arange(len(hz) * HOP) + 0.5) / HOP - 0.5
    line = np.interp(places, np.arange(len(hz)), np.array(hz, np.float32).astype(float))
    line[: HOP // 2], line[-HOP // 2 :] = hz[0], hz[-1]
    turns = np.cumsum(np.maximum(line, LOWEST_HZ) / RATE_HZ)
    harmonics = np.floor(HIGHEST_HZ / np.maximum(line, LOWEST_HZ)) + 0.5
    lower = 2 * np.sin(np.pi * turns)
    near = np.abs(lower) < 2e-3
    wanted = np.where(near, harmonics, np.sin(2 * np.pi * harmonics * turns) / np.where(near, 1, lower)) - 0.5
    wanted[line <= LOWEST_HZ] = 0

    # In single precision; and where a harmonic more or less fits, or a line ends, by rounding.
    assert np.square(made - wanted).sum() <= 0.02 * np.square(wanted).sum() + 1e-3


def test_the_transform_in_two_stages_is_the_usual_one() -> None:
    fourier = Fourier()
    frames = torch.randn(5, WINDOW)
    bins, sign = bins_in_order()

    real, imaginary = fourier(frames).chunk(2, -1)
    usual = torch.fft.rfft(frames * torch.hann_window(WINDOW) / HOP)[:, bins]
    ordered = torch.complex(usual.real, usual.imag * sign).unflatten(1, (-1, COLUMNS)).transpose(0, 1)

    assert torch.allclose(torch.complex(real, imaginary), ordered, atol=1e-4)
    assert torch.allclose(
        fourier.inverse(fourier(frames)), frames * torch.hann_window(WINDOW) ** 2 / HOP / 1.5, atol=1e-5
    )


def test_an_export_renders_filters_as_the_training_does() -> None:
    student = Student(SMALL).eval()
    voice = Voice(student, [Scale((5.0, 0.2), (0.0, 1.0))], [1.0], torch.zeros(NUM_SYMBOLS))
    hidden, rows = torch.randn(40, SMALL.sound), pulses(torch.full((1, 40), 150.0))[0]

    with torch.inference_mode():
        made = voice._wave(hidden[None], rows)
        wanted = rendered(student.sound.head(hidden).reshape(1, 40, 4, BINS), rows.reshape(1, -1))[0]

    inner = slice(3 * HOP, -3 * HOP)  # at its ends the training mirrors the pulses
    assert torch.allclose(made[inner], wanted[inner], atol=1e-4 * float(wanted.abs().max()) + 1e-6)
