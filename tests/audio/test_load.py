import io
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.audio.checks import AudioError, _missing, missing_seconds
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.audio.load import read


def tone(seconds: float, rate_hz: int, hertz: float = 440.0, level: float = 0.5) -> np.ndarray:
    return level * np.sin(2 * np.pi * hertz * np.arange(round(seconds * rate_hz)) / rate_hz)


@pytest.mark.parametrize("rate_hz", [8000, 16000, 22050, 44100, 48000, 96000])
@pytest.mark.parametrize("wanted_hz", [16000, 22050])
def test_a_tone_keeps_its_pitch_level_and_length_at_any_rate(tmp_path: Path, rate_hz: int, wanted_hz: int) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1.5, rate_hz), rate_hz, subtype="FLOAT")
    wave = read(tmp_path / "a.wav", wanted_hz)
    assert wave.samples.dtype == np.float32
    assert abs(len(wave.samples) - 1.5 * wanted_hz) <= 1
    assert (wave.rate_hz, wave.source_rate_hz, wave.source_frames) == (wanted_hz, rate_hz, round(1.5 * rate_hz))
    expected = tone(1.5, wanted_hz)[: len(wave.samples)]
    middle = slice(2000, -2000)
    assert np.abs(wave.samples[: len(expected)] - expected)[middle].max() < 1e-3


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "PCM_32", "FLOAT", "DOUBLE", "ULAW", "ALAW"])
def test_any_depth_is_read(tmp_path: Path, subtype: str) -> None:
    soundfile.write(tmp_path / "a.wav", tone(0.5, 16000), 16000, subtype=subtype)
    wave = read(tmp_path / "a.wav", 16000)
    assert np.abs(wave.samples - tone(0.5, 16000)).max() < 0.03


@pytest.mark.parametrize("format_", ["FLAC", "OGG", "MP3", "AIFF", "AU", "CAF", "W64", "RF64"])
def test_the_content_counts_and_not_the_ending(tmp_path: Path, format_: str) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1, 22050), 22050, format=format_)
    assert abs(len(read(tmp_path / "a.wav", 22050).samples) - 22050) < 3000


@pytest.mark.parametrize("name", ["a.m4a", "a.aac", "a.opus", "a.webm", "a.mp4", "wrong.wav"])
def test_what_libsndfile_cannot_read_is_read_by_ffmpeg(tmp_path: Path, name: str) -> None:
    soundfile.write(tmp_path / "tone.wav", tone(1.5, 22050), 22050)
    format_ = {"a.aac": "adts", "wrong.wav": "ipod"}.get(name)
    command = [ffmpeg_program(), "-v", "error", "-i", str(tmp_path / "tone.wav"), *(["-f", format_] if format_ else [])]
    subprocess.run([*command, *(["-acodec", "aac"] if format_ else []), str(tmp_path / name)], check=True)
    wave = read(tmp_path / name, 22050)
    assert abs(len(wave.samples) - 1.5 * 22050) < 3000
    assert np.abs(wave.samples).max() == pytest.approx(0.5, abs=0.15)
    with pytest.raises(AudioError, match=r"limit is 0\.2 s"):
        read(tmp_path / name, 22050, max_seconds=0.2)


def test_without_ffmpeg_such_a_file_is_reported_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.m4a").write_bytes(b"\0\0\0\x20ftypM4A " + bytes(range(200)))
    with pytest.raises(AudioError, match="ffmpeg cannot decode it"):
        read(tmp_path / "a.m4a", 16000)
    monkeypatch.setattr("shutil.which", lambda program: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(AudioError, match="requires ffmpeg") as caught:
        read(tmp_path / "a.m4a", 16000)
    assert "install ffmpeg" in caught.value.remedy


def test_channels_are_averaged(tmp_path: Path) -> None:
    left, right = tone(0.5, 16000), tone(0.5, 16000, hertz=900)
    soundfile.write(
        tmp_path / "a.wav", np.stack([left, right, left, right, left, right], axis=1), 16000, subtype="FLOAT"
    )
    wave = read(tmp_path / "a.wav", 16000)
    assert wave.source_channels == 6
    assert np.abs(wave.samples - (left + right) / 2).max() < 1e-6


def test_a_long_file_is_read_in_blocks_as_it_would_be_whole(tmp_path: Path) -> None:
    import soxr

    noise = np.random.default_rng(0).normal(0, 0.1, (44100 * 7, 2)).astype(np.float32)
    soundfile.write(tmp_path / "a.wav", noise, 44100, subtype="FLOAT")
    wave = read(tmp_path / "a.wav", 22050)
    whole = soxr.resample(noise.mean(axis=1), 44100, 22050)
    assert np.abs(wave.samples - whole).max() < 1e-6


def test_runs_at_full_scale_are_clipping_and_a_single_peak_is_not(tmp_path: Path) -> None:
    samples = tone(1, 16000)
    samples[100] = samples[500] = 1.0
    soundfile.write(tmp_path / "a.wav", samples, 16000, subtype="PCM_16")
    assert read(tmp_path / "a.wav", 16000).clipped_fraction == 0
    samples[1000:1160] = -1.0
    soundfile.write(tmp_path / "a.wav", samples, 16000, subtype="PCM_16")
    assert read(tmp_path / "a.wav", 16000).clipped_fraction == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("level", "read_as"), [(0.5, 0.5), (1.2, 1.0), (8.0, 1.0), (12000.0, 12000 / 2**15), (2.0**30, 0.5)]
)
def test_floating_point_samples_beyond_full_scale_are_not_clipped(tmp_path: Path, level: float, read_as: float) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1, 16000, level=level), 16000, subtype="FLOAT")
    wave = read(tmp_path / "a.wav", 16000)
    assert wave.clipped_fraction == 0
    assert np.abs(wave.samples - tone(1, 16000, level=read_as)).max() < 1e-3


@pytest.mark.parametrize("balance", [1.0, 0.9, -0.5])
def test_a_channel_in_opposite_phase_does_not_silence_the_other(tmp_path: Path, balance: float) -> None:
    left = tone(1, 16000)
    soundfile.write(tmp_path / "a.wav", np.stack([left, -balance * left], axis=1), 16000, subtype="PCM_24")
    assert np.abs(read(tmp_path / "a.wav", 16000).samples).max() > 0.35


@pytest.mark.parametrize("codec", ["libmp3lame", "wmav2", "ac3"])
def test_a_wave_file_of_compressed_sound_is_read_whole(tmp_path: Path, codec: str) -> None:
    soundfile.write(tmp_path / "a.wav", tone(2, 16000), 16000)
    command = [ffmpeg_program(), "-v", "error", "-i", tmp_path / "a.wav", "-c:a", codec, tmp_path / "b.wav"]
    subprocess.run(command, check=True)
    wave = read(tmp_path / "b.wav", 16000)
    assert len(wave.samples) / 16000 == pytest.approx(2, abs=0.2)
    assert np.abs(wave.samples[8000:24000]).max() == pytest.approx(0.5, abs=0.1)


def test_a_file_longer_than_asked_for_is_not_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    soundfile.write(tmp_path / "a.wav", tone(3, 16000), 16000)
    assert len(read(tmp_path / "a.wav", 16000, max_seconds=3).samples) == 48000
    monkeypatch.setattr("voxmatrix.audio.load._decode", None)
    with pytest.raises(AudioError, match=r"3\.0 s") as caught:
        read(tmp_path / "a.wav", 16000, max_seconds=2.9)
    assert caught.value.fault == "too-long"


def test_a_recorder_that_left_the_length_open_is_believed(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1, 16000), 16000)
    data = (tmp_path / "a.wav").read_bytes()
    for length in (0xFFFFFFFF, 0x7FFFFFFF - 36):
        (tmp_path / "b.wav").write_bytes(data[:40] + struct.pack("<I", length) + data[44:])
        assert len(read(tmp_path / "b.wav", 16000).samples) == 16000


@pytest.mark.parametrize("ending", ["wav", "flac", "ogg", "aiff"])
def test_whatever_a_truncated_file_is_it_is_no_crash_and_no_whole_recording(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, 32000), 16000)
    data = path.read_bytes()
    for part in range(1, 10):
        path.write_bytes(data[: len(data) * part // 10])
        try:
            assert len(read(path, 16000).samples) < 32000
        except AudioError as error:
            assert error.fault in ("unreadable", "too-short")


def test_what_is_no_recording_is_refused_in_clear_words(tmp_path: Path) -> None:
    (tmp_path / "folder.wav").mkdir()
    (tmp_path / "empty.wav").touch()
    for name, said in (("folder.wav", "folder"), ("empty.wav", "0 bytes"), ("none.wav", "does not exist")):
        with pytest.raises(AudioError, match=said) as caught:
            read(tmp_path / name, 16000)
        assert caught.value.exit_code == 3
        assert caught.value.remedy
    (tmp_path / "text.wav").write_text("This was saved under the wrong name. Ö\n", encoding="utf-8")
    (tmp_path / "noise.wav").write_bytes(bytes(range(256)))
    with pytest.raises(AudioError, match="it is a text"):
        read(tmp_path / "text.wav", 16000)
    with pytest.raises(AudioError) as caught:
        read(tmp_path / "noise.wav", 16000)
    assert "noise.wav" not in caught.value.remedy  # it is not converted onto itself
    with pytest.raises(AudioError, match="does not exist"):
        read(tmp_path / "nu\0ll.wav", 16000)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_sample_that_is_no_number_is_named_with_its_time(tmp_path: Path, value: float) -> None:
    samples = tone(2, 16000)
    samples[16000] = value
    soundfile.write(tmp_path / "a.wav", samples, 16000, subtype="DOUBLE")
    with pytest.raises(AudioError, match=r"1\.00 s") as caught:
        read(tmp_path / "a.wav", 22050)
    assert caught.value.fault == "not-finite"


def test_reading_imports_no_torch() -> None:
    names = ", ".join(f"voxmatrix.audio.{name}" for name in ("load", "waves", "encode", "loudness"))
    program = f"import sys, {names}; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@settings(max_examples=examples(60))
@given(st.integers(0, 60), st.binary(min_size=1, max_size=8), st.sampled_from(["WAV", "FLAC", "AIFF", "CAF"]))
def test_a_header_with_any_bytes_in_it_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, place: int, new: bytes, format_: str
) -> None:
    path = tmp_path_factory.mktemp("header") / "a.wav"
    soundfile.write(path, tone(0.2, 16000), 16000, format=format_)
    data = bytearray(path.read_bytes())
    data[place : place + len(new)] = new
    path.write_bytes(bytes(data))
    try:
        wave = read(path, 16000, max_seconds=60)
        assert np.isfinite(wave.samples).all()
        assert len(wave.samples) <= 61 * 16000
    except AudioError as error:
        assert error.problem


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


def test_of_channels_with_speech_and_with_noise_alone_the_speech_is_read(tmp_path: Path) -> None:
    times = np.arange(44_100) / 22_050
    voice = 0.3 * np.sin(2 * np.pi * 200 * times) * (np.sin(2 * np.pi * 2 * times) > 0)
    noise = np.random.default_rng(0).normal(0, 0.05, len(times))
    soundfile.write(tmp_path / "one.wav", np.stack([noise, voice], 1), 22_050)
    soundfile.write(tmp_path / "both.wav", np.stack([voice, 0.5 * voice], 1), 22_050)
    soundfile.write(tmp_path / "silent.wav", np.stack([voice, 0 * voice], 1), 22_050)

    one = read(tmp_path / "one.wav", 22_050)
    assert one.lone_channel == 1 and one.source_channels == 2
    np.testing.assert_allclose(one.samples, voice, atol=1e-3)
    assert read(tmp_path / "both.wav", 22_050).lone_channel is None
    assert read(tmp_path / "silent.wav", 22_050).lone_channel is None
