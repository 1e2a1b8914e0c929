import io
import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.audio.riff import _missing, missing_seconds


def test_seconds_that_are_promised_and_not_there_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.zeros((32000, 2)), 16000)
    assert missing_seconds(path, "WAV") == 0
    path.write_bytes(path.read_bytes()[:-64000])
    assert missing_seconds(path, "WAV") == pytest.approx(1.0)
    assert missing_seconds(path, "FLAC") == 0


def test_chunks_before_the_sound_are_stepped_over(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.zeros(16000), 16000)
    data = path.read_bytes()
    odd = b"LIST" + struct.pack("<I", 5) + b"abcde\0"
    path.write_bytes(data[:36] + odd + data[36:-16000])
    assert missing_seconds(path, "WAV") == pytest.approx(0.5)


@given(st.binary(max_size=120))
def test_any_bytes_are_stepped_through(data: bytes) -> None:
    assert _missing(io.BytesIO(b"RIFF1234WAVE" + data), len(data) + 12) >= 0
