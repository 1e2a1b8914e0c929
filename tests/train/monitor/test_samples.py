"""A sentence spoken, and its picture."""

from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.train.conftest import Fit
from voxmatrix.errors import UsageError
from voxmatrix.train.monitor.samples import picture


def test_a_sample_can_be_listened_to_and_looked_at(run: Fit) -> None:
    folder: Path = run(max_steps=1).out / "samples"
    samples, rate_hz = soundfile.read(folder / "step-000000001.wav")
    assert rate_hz == 16000
    assert len(samples) >= 256
    assert np.isfinite(samples).all()
    assert (folder / "step-000000001.png").read_bytes().startswith(b"\x89PNG")


def test_samples_may_say_a_text_of_ones_own(run: Fit) -> None:
    folder = run(max_steps=1, sample_text="Hello world. Good night!").out / "samples"
    samples, rate_hz = soundfile.read(folder / "step-000000001.wav")
    assert len(samples) > 0.1 * rate_hz
    run(out=folder.parent.parent / "other", max_steps=1, sample_text="Hello world.")
    other, _ = soundfile.read(folder.parent.parent / "other" / "samples" / "step-000000001.wav")
    assert len(other) < len(samples)


def test_a_text_of_which_nothing_can_be_said_is_refused_before_the_first_step(run: Fit) -> None:
    with pytest.raises(UsageError, match="nothing can be spoken"):
        run(max_steps=1, sample_text="???")


@pytest.mark.parametrize("title", ["step 1", "$not maths", "step 1, clip '\\u6f22'"])
def test_a_picture_has_three_colours_whatever_its_title(title: str) -> None:
    pixels = picture(np.random.default_rng(1).random((80, 30)), np.zeros((80, 50)), title)
    assert pixels.dtype == np.uint8
    assert pixels.shape[2] == 3


def test_a_picture_may_be_of_speech_alone() -> None:
    assert picture(np.random.default_rng(1).random((80, 30)), None, "step 1").shape[2] == 3
