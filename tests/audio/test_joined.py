"""Recordings that were joined without encoding them again are read to their end, at every door."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import soundfile

from tests.toys.joined import CODECS, RATE_HZ, by_bytes, by_ffmpeg, ffmpeg, made, tone
from voxmatrix.audio import ffmpeg as module
from voxmatrix.audio.checks import AudioError
from voxmatrix.audio.encode import encode
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.audio.load import read
from voxmatrix.audio.long import LongRecording

#: A coder adds up to this at both ends of a piece.
PADDING_SECONDS = 0.12


def pitches_of(samples: np.ndarray) -> set[int]:
    """The loudest pitch around the middle of the first piece, and of the last one, in hundreds of hertz."""
    return {
        round(int(np.argmax(np.abs(np.fft.rfft(part)))) * RATE_HZ / len(part) / 100)
        for part in (samples[4000:12000], samples[-12000:-4000])
    }


@pytest.mark.parametrize("count", [2, 3, 10])
@pytest.mark.parametrize("ending", CODECS)
@pytest.mark.parametrize("join", [by_bytes, by_ffmpeg], ids=["bytes", "ffmpeg"])
def test_all_pieces_of_a_joined_recording_are_read_by_both_readers(
    tmp_path: Path, join: Callable[[Sequence[Path]], Path], ending: str, count: int
) -> None:
    pieces, pitches = made(tmp_path, ending, count)
    path = join(pieces)
    seconds = sum(0.8 + 0.4 * (number % 2) for number in range(count))
    samples = read(path, RATE_HZ).samples
    assert len(samples) / RATE_HZ == pytest.approx(seconds, abs=PADDING_SECONDS * count)
    assert pitches_of(samples) == {round(pitch / 100) for pitch in (pitches[0], pitches[-1])}
    assert LongRecording(path, tmp_path / "work").seconds == pytest.approx(len(samples) / RATE_HZ, abs=0.01)


@pytest.mark.parametrize("ending", ["wav", "mp3", "flac", "opus", "m4a"])
def test_a_joined_recording_is_converted_whole(tmp_path: Path, ending: str) -> None:
    path = by_bytes(made(tmp_path, ending, 3)[0])
    assert soundfile.info(encode(path, tmp_path / "out.flac")).duration == pytest.approx(2.8, abs=0.4)


def test_pieces_of_other_rates_and_channels_are_joined(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.stack([tone(1, 400)] * 2, axis=1), RATE_HZ)
    soundfile.write(tmp_path / "b.wav", tone(1, 400)[::2], RATE_HZ // 2)
    wave = read(by_bytes([tmp_path / "a.wav", tmp_path / "b.wav"]), RATE_HZ)
    assert (len(wave.samples), wave.source_channels, wave.source_rate_hz) == (2 * RATE_HZ, 2, RATE_HZ // 2)
    assert LongRecording(tmp_path / "joined.wav", tmp_path).seconds == pytest.approx(2, abs=0.01)


@pytest.mark.parametrize("length", [b"\xff\xff\xff\xff", bytes(4)])
def test_streamed_wavs_of_no_known_length_are_read_alone_and_joined(tmp_path: Path, length: bytes) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1, 400), RATE_HZ)
    data = (tmp_path / "a.wav").read_bytes()
    streamed = data[:4] + length + data[8:40] + length + data[44:]
    for count in (1, 3):
        (tmp_path / "b.wav").write_bytes(count * streamed)
        assert len(read(tmp_path / "b.wav", RATE_HZ).samples) == count * RATE_HZ
        assert LongRecording(tmp_path / "b.wav", tmp_path / "work").frames == count * RATE_HZ


@pytest.mark.parametrize("ending", ["flac", "wav"])
def test_a_truncated_piece_is_named(tmp_path: Path, ending: str) -> None:
    path = by_bytes(made(tmp_path, ending, 3)[0])
    path.write_bytes(path.read_bytes()[:-5000])
    for door in (lambda: read(path, RATE_HZ), lambda: LongRecording(path, tmp_path / "work")):
        with pytest.raises(AudioError, match=rf"joined\.{ending} was joined from 3 pieces; piece 3 cannot be read"):
            door()


def test_a_limit_of_length_counts_all_pieces(tmp_path: Path) -> None:
    path = by_bytes(made(tmp_path, "flac", 3)[0])
    with pytest.raises(AudioError, match=r"joined\.flac is more than 2\.8 s long"):
        read(path, RATE_HZ, max_seconds=2.5)


#: What programs put behind the sound: no piece of it.
BEHIND = {
    "zeros": bytes(5000),
    "id3v1": b"TAG" + bytes(125),
    "ape": b"APETAGEX" + b"\xd0\x07\0\0" + bytes(20) + np.random.default_rng(0).bytes(3000),
    "list": b"LIST\x0c\0\0\0INFOINAM" + bytes(4),
}


@pytest.mark.parametrize("behind", BEHIND)
@pytest.mark.parametrize("ending", ["wav", "mp3", "flac", "ogg"])
def test_what_is_behind_the_sound_of_an_ordinary_file_is_no_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, behind: str
) -> None:
    path = made(tmp_path, ending, 1)[0][0]
    whole = read(path, RATE_HZ).samples
    path.write_bytes(path.read_bytes() + BEHIND[behind])
    monkeypatch.setattr("voxmatrix.audio.whole.beginnings", None)
    monkeypatch.setattr("voxmatrix.audio.ffmpeg.ffmpeg_program", None)
    assert np.array_equal(read(path, RATE_HZ).samples, whole)


def test_an_mp3_without_a_length_is_no_truncated_one(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1.5, 400), RATE_HZ)
    ffmpeg("-i", tmp_path / "a.wav", "-write_xing", "0", "-id3v2_version", "0", tmp_path / "bare.mp3")
    assert read(tmp_path / "bare.mp3", RATE_HZ).source_seconds == pytest.approx(1.5, abs=0.1)
    ffmpeg("-i", tmp_path / "a.wav", tmp_path / "a.mp3")
    joined = by_bytes([tmp_path / "a.mp3", tmp_path / "bare.mp3"])
    assert read(joined, RATE_HZ).source_seconds == pytest.approx(3, abs=0.2)


def test_a_flac_that_was_streamed_is_read(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1.5, 400), RATE_HZ)
    command = [ffmpeg_program(), "-v", "error", "-i", str(tmp_path / "a.wav"), "-f", "flac", "-"]
    (tmp_path / "a.flac").write_bytes(subprocess.run(command, capture_output=True, check=True).stdout)
    assert len(read(tmp_path / "a.flac", RATE_HZ).samples) == round(1.5 * RATE_HZ)
    assert LongRecording(tmp_path / "a.flac", tmp_path / "work").seconds == pytest.approx(1.5)


@pytest.mark.parametrize("name", ["list.txt", "list.m3u8", "list.wav", "list.mp3", "list.m4a"])
@pytest.mark.parametrize("first", ["#EXTM3U\n", "ffconcat version 1.0\n"])
def test_a_list_of_files_is_refused_whatever_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, first: str
) -> None:
    soundfile.write(tmp_path / "a.wav", tone(1, 400), RATE_HZ)
    line = "file 'a.wav'\n" if first.startswith("ff") else "#EXTINF:1,\na.wav\n"
    (tmp_path / name).write_text(first + 2 * line, encoding="utf-8")
    monkeypatch.setattr("voxmatrix.audio.ffmpeg.ffmpeg_program", None)  # it gets none of them
    for door in (
        lambda: read(tmp_path / name, RATE_HZ),
        lambda: LongRecording(tmp_path / name, tmp_path / "work"),
        lambda: encode(tmp_path / name, tmp_path / "out.mp3"),
    ):
        with pytest.raises(AudioError, match="it is a text") as caught:
            door()
        assert caught.value.exit_code == 3


@pytest.mark.parametrize("ending", ["m4a", "webm", "aac", "wma", "oga"])
def test_ffmpeg_is_told_the_format_and_may_open_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    path = made(tmp_path, ending, 1)[0][0]
    seen: list[list[str]] = []
    real = module.run

    def run(command: list[str], **options: object) -> object:
        seen.append(command)
        return real(command, **options)

    monkeypatch.setattr(module, "run", run)
    read(path, RATE_HZ)
    LongRecording(path, tmp_path / "work")
    for command in seen:
        given = command[: command.index("-i")]
        assert given[given.index("-f") + 1] in ("mov", "matroska", "aac", "asf", "ogg")
        assert given[given.index("-protocol_whitelist") + 1] in ("pipe", "file")
    assert seen
