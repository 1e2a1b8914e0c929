"""A long recording of real speech, and a recogniser for the commands of a server."""

import io
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.serve.recogniser.faster_whisper import ROWS, SAMPLES

TEXTS = [text for _, text in ROWS]
RATE_HZ = 16_000


def use_recogniser(patch: pytest.MonkeyPatch) -> None:
    """Commands that start from now on find the stand-in."""
    folder = Path(__file__).with_name("recogniser")
    patch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))


def long_recording() -> bytes:
    """Six sentences with pauses, and two seconds of music in between."""
    times = np.arange(2 * RATE_HZ) / RATE_HZ
    music = 0.2 * np.sin(2 * np.pi * 440 * times)
    silence = np.zeros(3 * RATE_HZ // 2)
    parts = [silence]
    for number, (name, _) in enumerate(ROWS):
        parts += [soundfile.read(SAMPLES / "wavs" / f"{name}.flac")[0], silence]
        parts += [music, silence] if number == 2 else []
    file = io.BytesIO()
    soundfile.write(file, np.concatenate(parts), RATE_HZ, format="WAV")
    return file.getvalue()
