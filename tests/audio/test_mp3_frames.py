import subprocess
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.audio.mp3_frames import bit_rates


def encoded(folder: Path, *options: str) -> Path:
    noise = np.random.default_rng(1).uniform(-0.3, 0.3, 44100) * np.linspace(0, 1, 44100)
    soundfile.write(folder / "a.wav", noise, 44100, subtype="PCM_16")
    command = [ffmpeg_program(), "-v", "error", "-y", "-i", str(folder / "a.wav"), *options, str(folder / "a.mp3")]
    subprocess.run(command, check=True)
    return folder / "a.mp3"


@pytest.mark.parametrize(("rate_hz", "kbit"), [(44100, 192), (44100, 128), (24000, 64), (11025, 32)])
def test_frames_of_one_bit_rate(tmp_path: Path, rate_hz: int, kbit: int) -> None:
    path = encoded(tmp_path, "-ar", str(rate_hz), "-b:a", f"{kbit}k", "-metadata", "title=\xff\xfb")
    found = bit_rates(path)
    samples = 1152 if rate_hz > 24000 else 576
    assert set(found) == {kbit} and found[kbit] == pytest.approx(rate_hz / samples, abs=3)


def test_frames_of_several_bit_rates(tmp_path: Path) -> None:
    assert len(bit_rates(encoded(tmp_path, "-q:a", "4"))) > 2


def test_tags_and_damage_are_no_frames(tmp_path: Path) -> None:
    path = encoded(tmp_path, "-b:a", "192k", "-id3v2_version", "3", "-write_id3v1", "1", "-metadata", "title=One")
    data = path.read_bytes()
    whole = bit_rates(path)
    path.write_bytes(data[: len(data) // 2] + b"\xff\xfb\x00" * 50 + data[len(data) // 2 :])
    assert set(bit_rates(path)) == {192} and sum(bit_rates(path).values()) >= sum(whole.values()) - 2


@pytest.mark.parametrize("content", [b"", b"\xff", b"\xff\xfb\xb0", b"no sound \xff\xfb\xb0\x00", bytes(1000)])
def test_what_is_no_mp3_has_no_frames(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.mp3"
    path.write_bytes(content)
    assert not bit_rates(path)
