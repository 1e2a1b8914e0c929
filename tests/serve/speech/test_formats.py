"""Answers are encoded while they are computed: the first samples come out before the next ones go in."""

import os
import queue
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest

from voxmatrix.serve.speech.formats import FORMAT_NAMES, Encoding, encoder

RATE_HZ = 22_050
#: What an answer begins with.
FIRST = np.sin(np.arange(RATE_HZ // 3) / 10).astype(np.float32)


@pytest.fixture(params=["system", "bundled"])
def ffmpeg(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each ffmpeg that answers may be encoded with."""
    if request.param == "bundled":
        (tmp_path / "ffmpeg").symlink_to(imageio_ffmpeg.get_ffmpeg_exe())
        monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


@pytest.mark.usefixtures("ffmpeg")
@pytest.mark.parametrize("name", FORMAT_NAMES)
def test_the_first_samples_are_encoded_before_others_come(name: str) -> None:
    put: queue.Queue[bytes] = queue.Queue()
    with encoder(Encoding(format=name), RATE_HZ, put.put) as write:  # type: ignore[arg-type]
        write(FIRST)
        sent = len(put.get(timeout=60))
        while sent < 500:  # more than the header of any format
            sent += len(put.get(timeout=60))
