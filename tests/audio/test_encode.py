import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voxmatrix.audio import encode as encode_module
from voxmatrix.audio import ffmpeg as module
from voxmatrix.audio.encode import FORMATS, encode
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.audio.formats import WAV
from voxmatrix.errors import BadInputError, MissingProgramError, UnreachableError, UsageError
from voxmatrix.landlock import landlock_version


def _ffmpeg_is_there() -> bool:
    try:
        return bool(ffmpeg_program())
    except MissingProgramError:
        return False


needs_ffmpeg = pytest.mark.skipif(not _ffmpeg_is_there(), reason="neither ffmpeg nor imageio-ffmpeg is installed")


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    samples = 0.4 * np.sin(2 * np.pi * 440 * np.arange(33075) / 22050)
    soundfile.write(tmp_path / "in.wav", samples, 22050)
    return tmp_path / "in.wav"


def decoded(path: Path) -> np.ndarray:
    command = [ffmpeg_program(), "-v", "error", "-i", str(path), "-f", "s16le", "-ac", "1", "-ar", "22050", "-"]
    return np.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, np.int16) / 32768


@needs_ffmpeg
@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_holds_the_same_sound(wav: Path, ending: str) -> None:
    out = encode(wav, wav.with_name(f"out.{ending}"))
    sound = decoded(out)
    assert abs(len(sound) / 22050 - 1.5) < 0.1
    assert np.sqrt(np.mean(np.square(sound))) == pytest.approx(0.4 / np.sqrt(2), rel=0.1)
    spectrum = np.abs(np.fft.rfft(sound))
    assert np.argmax(spectrum) * 22050 / len(sound) == pytest.approx(440, abs=5)
    assert list(wav.parent.glob("*.part")) == []


@needs_ffmpeg
@pytest.mark.parametrize("ending", ["flac", "wav"])
def test_what_promises_to_lose_nothing_loses_nothing(wav: Path, ending: str) -> None:
    out = encode(wav, wav.with_name(f"out.{ending}"))
    assert np.array_equal(soundfile.read(out, dtype="int16")[0], soundfile.read(wav, dtype="int16")[0])


@needs_ffmpeg
def test_more_than_fits_into_the_header_of_a_wav_file_is_rf64(wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encode_module, "MAX_WAV_BYTES", 1000)  # in place of 4 GiB
    out = encode(wav, wav.with_name("out.wav"))
    assert soundfile.info(out).format == "RF64"
    assert np.array_equal(soundfile.read(out, dtype="int16")[0], soundfile.read(wav, dtype="int16")[0])


@needs_ffmpeg
@pytest.mark.parametrize("ending", ["mp3", "ogg", "opus", "flac", "m4a"])
def test_every_format_is_a_source_as_well(wav: Path, ending: str) -> None:
    between = encode(wav, wav.with_name(f"between.{ending}"))
    assert soundfile.info(encode(between, wav.with_name("back.wav"))).duration == pytest.approx(1.5, abs=0.1)


@needs_ffmpeg
def test_the_bit_rate_decides_the_size(wav: Path) -> None:
    small = encode(wav, wav.with_name("small.mp3"), bitrate="32k")
    large = encode(wav, wav.with_name("large.mp3"), bitrate="128k")
    assert small.stat().st_size * 2 < large.stat().st_size


@needs_ffmpeg
def test_nothing_is_replaced_without_being_asked_to(wav: Path) -> None:
    out = wav.with_name("out.mp3")
    out.write_bytes(b"mine")
    with pytest.raises(UsageError, match="already exists") as caught:
        encode(wav, out)
    assert "`force`" in caught.value.remedy
    assert out.read_bytes() == b"mine"
    assert encode(wav, out, force=True).stat().st_size > 1000


def test_an_unknown_ending_names_those_that_are_known(wav: Path) -> None:
    for name in ("out.mp4", "out", "out.exe"):
        with pytest.raises(UsageError) as caught:
            encode(wav, wav.with_name(name))
        assert all(f".{ending}" in caught.value.remedy for ending in FORMATS)


@pytest.mark.parametrize(
    ("ending", "bitrate"),
    [
        ("mp3", "lots"),
        ("mp3", "128"),
        ("mp3", "0k"),
        ("flac", "96k"),
        ("mp3", "-1k"),
        ("mp3", "321k"),
        ("m4a", "9999k"),
    ],
)
def test_a_bit_rate_that_makes_no_sense_is_a_usage_error(wav: Path, ending: str, bitrate: str) -> None:
    with pytest.raises(UsageError, match="bit rate"):
        encode(wav, wav.with_name(f"out.{ending}"), bitrate=bitrate)


@needs_ffmpeg
def test_a_bit_rate_that_the_codec_refuses_is_said_with_its_reason(wav: Path) -> None:
    with pytest.raises(UsageError, match="libvorbis"):
        encode(wav, wav.with_name("out.ogg"), bitrate="900k")
    assert not wav.with_name("out.ogg").exists()


@needs_ffmpeg
@pytest.mark.parametrize("content", [b"", b"no sound at all" * 50, b"RIFF\0\0\0\0WAVE"])
def test_a_damaged_source_is_bad_input(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "in.wav").write_bytes(content)
    with pytest.raises(BadInputError, match=r"cannot be read|contains no sound"):
        encode(tmp_path / "in.wav", tmp_path / "out.mp3")
    assert not (tmp_path / "out.mp3").exists()


@needs_ffmpeg
def test_a_truncated_source_is_bad_input(wav: Path) -> None:
    flac = encode(wav, wav.with_name("in.flac"))
    flac.write_bytes(flac.read_bytes()[: flac.stat().st_size // 2])
    with pytest.raises(BadInputError, match="cannot be read"):
        encode(flac, wav.with_name("out.mp3"))


@pytest.mark.parametrize("ending", ["wav", "flac", "mp3"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_samples_that_are_no_numbers_are_bad_input(tmp_path: Path, ending: str, value: float) -> None:
    samples = np.zeros(22050)
    samples[11025:] = value
    soundfile.write(tmp_path / "in.wav", samples, 22050, subtype="FLOAT")
    with pytest.raises(BadInputError, match=r"in\.wav contains NaN or infinity \(first at 0\.50 s\)"):
        encode(tmp_path / "in.wav", tmp_path / f"out.{ending}")
    assert [path.name for path in tmp_path.iterdir()] == ["in.wav"]


@needs_ffmpeg
def test_floating_point_samples_are_a_source(wav: Path) -> None:
    samples, rate_hz = soundfile.read(wav)
    soundfile.write(wav.with_name("float.wav"), samples, rate_hz, subtype="DOUBLE")
    out = encode(wav.with_name("float.wav"), wav.with_name("out.wav"))
    assert np.abs(soundfile.read(out)[0] - samples).max() < 1e-4


def test_a_source_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    for name in ("none.wav", "."):
        with pytest.raises(BadInputError, match="is not a file"):
            encode(tmp_path / name, tmp_path / "out.mp3")


@needs_ffmpeg
def test_odd_names_are_names(wav: Path) -> None:
    odd = wav.rename(wav.with_name("-i ü 'q' concat:x|y.wav"))
    assert encode(odd, wav.with_name("-y é.mp3")).stat().st_size > 1000


@needs_ffmpeg
def test_a_place_that_cannot_be_written_is_exit_code_8(wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("voxmatrix.files.os.fsync", full)
    with pytest.raises(UnreachableError):
        encode(wav, wav.with_name("out.mp3"))
    assert not wav.with_name("out.mp3").exists()


def test_the_ffmpeg_of_the_system_comes_before_the_one_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda name: "/somewhere/ffmpeg")
    assert ffmpeg_program() == "/somewhere/ffmpeg"


def test_without_any_ffmpeg_it_is_exit_code_7_with_the_line_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingProgramError) as caught:
        ffmpeg_program()
    assert caught.value.exit_code == 7
    assert "apt install ffmpeg" in caught.value.remedy


@needs_ffmpeg
def test_encoding_warns_nobody(wav: Path) -> None:
    program = (
        "import sys, warnings; warnings.simplefilter('error')\n"
        "from pathlib import Path; from voxmatrix.audio.encode import encode\n"
        "encode(Path(sys.argv[1]), Path(sys.argv[2]))"
    )
    command = [sys.executable, "-W", "error", "-c", program, str(wav), str(wav.with_name("out.mp3"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_ffmpeg_reads_no_other_file_and_has_no_secret(wav: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = wav.parent / "bin" / "ffmpeg"
    program.parent.mkdir()
    (wav.parent / "diary").write_text("of the user")
    script = f'cat "{wav.parent}/diary"; touch "{wav.parent}/new"; head -c 4 "{wav}"; echo " token:$HF_TOKEN"; exit 1'
    program.write_text(f"#!/bin/sh\nexec 1>&2\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setattr(module.shutil, "which", lambda name: str(program))
    monkeypatch.setenv("HF_TOKEN", "a secret")
    with pytest.raises(BadInputError, match=r"cannot be decoded: RIFF token:\n"):
        module.decode(wav, replace(WAV, seeks=True))
    assert not wav.with_name("new").exists()
