"""Long recordings of any format are read at any place, as they are read from beginning to end."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.audio.checks import AudioError
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.audio.long import LongRecording
from voxmatrix.errors import BadInputError, UnreachableError

RATE_HZ = 22_050


@pytest.fixture
def chirp() -> np.ndarray:
    """Ten seconds that sound different at each place."""
    times = np.arange(10 * RATE_HZ) / RATE_HZ
    return (0.4 * np.sin(2 * np.pi * (200 + 100 * times) * times)).astype(np.float32)


def encoded(path: Path, samples: np.ndarray) -> Path:
    wav = path.with_suffix(".source.wav")
    soundfile.write(wav, samples, RATE_HZ)
    subprocess.run([ffmpeg_program(), "-v", "error", "-i", str(wav), str(path)], check=True)
    return path


@pytest.mark.parametrize("name", ["a.wav", "a.flac", "a.mp3", "a.ogg", "a.m4a", "a.mkv", "a.mp4", "a.opus"])
def test_any_place_is_what_it_is_in_the_whole(name: str, tmp_path: Path, chirp: np.ndarray) -> None:
    recording = LongRecording(encoded(tmp_path / name, chirp), tmp_path / "work")
    whole = np.concatenate(list(recording.resampled(recording.rate_hz)))
    assert recording.seconds == pytest.approx(10, abs=0.2)
    assert len(whole) == recording.frames
    for start, end in ((7.3, 9.1), (0.0, 0.5), (3.0, 4.0)):
        part = recording.read(start, end)
        first = round(start * recording.rate_hz)
        assert np.array_equal(part, whole[first : first + len(part)])


def test_a_decoded_file_is_kept(tmp_path: Path, chirp: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    path = encoded(tmp_path / "a.m4a", chirp)
    LongRecording(path, tmp_path / "work")
    monkeypatch.setattr("voxmatrix.audio.long.decode_long", None)
    assert LongRecording(path, tmp_path / "work").seconds > 9
    monkeypatch.setattr("voxmatrix.audio.long.READER_VERSION", 0)
    with pytest.raises(TypeError):  # another reader decodes it again
        LongRecording(path, tmp_path / "work")


def test_channels_that_cancel_each_other_out_are_not_mixed(tmp_path: Path, chirp: np.ndarray) -> None:
    soundfile.write(tmp_path / "a.wav", np.stack([chirp, -chirp], axis=1), RATE_HZ)
    assert np.abs(LongRecording(tmp_path / "a.wav", tmp_path).read(1, 2)).max() > 0.3


def test_floating_point_samples_beyond_full_scale_are_scaled(tmp_path: Path, chirp: np.ndarray) -> None:
    soundfile.write(tmp_path / "a.wav", 5 * chirp, RATE_HZ, subtype="FLOAT")
    assert 0.9 < np.abs(LongRecording(tmp_path / "a.wav", tmp_path).read(0, 10)).max() <= 1.0


def test_not_a_number_is_refused(tmp_path: Path, chirp: np.ndarray) -> None:
    chirp[100_000] = np.nan
    soundfile.write(tmp_path / "a.wav", chirp, RATE_HZ, subtype="FLOAT")
    with pytest.raises(AudioError, match="NaN"):
        LongRecording(tmp_path / "a.wav", tmp_path)


@pytest.mark.parametrize("name", ["a.m4a", "a.flac"])
def test_a_truncated_file_is_refused(name: str, tmp_path: Path, chirp: np.ndarray) -> None:
    path = encoded(tmp_path / name, chirp)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BadInputError):
        LongRecording(path, tmp_path / "work")


def test_a_full_disk_is_named(tmp_path: Path, chirp: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "ffmpeg"
    program.write_text("#!/bin/sh\necho 'av_interleaved_write_frame(): No space left on device' >&2\nexit 0\n")
    program.chmod(0o755)
    path = encoded(tmp_path / "a.m4a", chirp)
    monkeypatch.setattr("voxmatrix.audio.ffmpeg.ffmpeg_program", lambda: str(program))
    with pytest.raises(UnreachableError, match="No space left"):
        LongRecording(path, tmp_path / "work")
    assert not list((tmp_path / "work").iterdir())
