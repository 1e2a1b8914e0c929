"""16-bit samples: heard by any reader, never wrapped around."""

import io
import os
import struct
import wave
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.audio import load
from voxmatrix.audio.pieces import header_frames
from voxmatrix.speak import wav
from voxmatrix.speak.wav import UNKNOWN, WaveFile, header, pcm


def test_a_file_that_is_finished_is_a_wav_of_the_right_length() -> None:
    out = io.BytesIO()
    file = WaveFile(out, 16000)
    file.write(np.linspace(-1, 1, 1001, dtype=np.float32))
    file.pause(0.1)
    file.finish()
    out.seek(0)

    with wave.open(out) as read:
        assert read.getparams()[:4] == (1, 2, 16000, 1001 + 1600)
        samples = np.frombuffer(read.readframes(9999), "<i2")
    assert samples[0] == -32767 and samples[1000] == 32767 and not samples[1001:].any()


def test_a_stream_says_that_its_length_is_unknown_and_is_flushed() -> None:
    class Stream(io.BytesIO):
        flushed = 0

        def flush(self) -> None:
            self.flushed += 1

        def seek(self, *_: int) -> int:
            raise io.UnsupportedOperation

    out = Stream()
    file = WaveFile(out, 22050, streamed=True)
    file.write(np.zeros(10, np.float32))
    file.finish()

    riff, data = struct.unpack_from("<I", out.getvalue(), 4)[0], struct.unpack_from("<I", out.getvalue(), 40)[0]
    assert (riff, data) == (UNKNOWN, UNKNOWN) and out.flushed == 1 and len(out.getvalue()) == 44 + 20


def test_raw_samples_have_no_header() -> None:
    out = io.BytesIO()
    file = WaveFile(out, 22050, raw=True)
    file.write(np.array([0.5, -0.5], np.float32))
    file.finish()

    assert np.frombuffer(out.getvalue(), "<i2").tolist() == [16384, -16384]


def test_loud_samples_are_cut_off_and_never_wrapped_around() -> None:
    assert np.frombuffer(pcm(np.array([5.0, -5.0, 1.0, -1.0], np.float32)), "<i2").tolist() == [32767, -32767] * 2


def test_a_file_of_more_than_4_gib_is_read_to_its_end(tmp_path: Path) -> None:
    size, end = 2**32 + 2000, np.arange(1000, dtype="<i2")
    with (tmp_path / "day.wav").open("wb") as file:  # zeros take no space
        file.write(header(22050, size))
        file.seek(size - end.nbytes, os.SEEK_CUR)
        file.write(end.tobytes())
    with soundfile.SoundFile(tmp_path / "day.wav") as read:
        assert (read.format, read.samplerate, read.frames) == ("RF64", 22050, size // 2)
        assert header_frames(tmp_path / "day.wav", read) == size // 2
        read.seek(size // 2 - len(end))
        assert read.read(dtype="int16").tolist() == end.tolist()


def test_samples_make_room_for_a_longer_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wav, "MAX_BYTES", 5000)
    monkeypatch.setattr(wav, "_BLOCK_BYTES", 700)
    samples = np.linspace(-0.5, 0.5, 4001, dtype=np.float32)
    with (tmp_path / "long.wav").open("w+b") as out:
        file = WaveFile(out, 16000)
        file.write(samples)
        file.finish()
    data = (tmp_path / "long.wav").read_bytes()
    assert data == header(16000, 8002) + pcm(samples) and data.startswith(b"RF64") and len(data) == 80 + 8002
    found = load.read(tmp_path / "long.wav", 16000)
    assert np.abs(found.samples - samples).max() < 1e-4 and found.source_frames == 4001


def test_up_to_4_gib_the_header_has_44_bytes() -> None:
    assert struct.unpack_from("<I", header(22050, 2**31), 40)[0] == 2**31
    assert len(header(22050, 2**32 - 46)) == 44 and len(header(22050, 2**32 - 44)) == 80
