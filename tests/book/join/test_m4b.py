import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.book.join.books import RATE_HZ, book, decoded, finished, heard, image, probe, speech, spoken
from voxmatrix.audio import ffmpeg as ffmpeg_module
from voxmatrix.book.content import Cover
from voxmatrix.book.join import m4b as parts_module
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.book.join.m4b import write_m4b
from voxmatrix.book.join.timeline import Pauses
from voxmatrix.errors import (
    DamagedFileError,
    MissingProgramError,
    ProgramWarning,
    UnreachableError,
    UsageError,
    VoxmatrixError,
)

TITLES = ["-One = 'x'; #\\", "[CHAPTER]\ntitle=no", "", '"Åäö" 中文 🎧', "Last"]
MARKS = ["-One = 'x'; #\\", "[CHAPTER] title=no", "3", '"Åäö" 中文 🎧', "Last"]


@pytest.mark.ffprobe
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_a_player_finds_chapters_tags_and_cover(tmp_path: Path, form: str) -> None:
    cover = Cover("image/jpeg", image(form))
    content = book(TITLES, cover, title="-A 'Book' = 1;\n#2")
    ready = finished(content, speech(tmp_path / "units", [3, 2, 0, 1, 4]), JoinSettings(narrator="Alba"))
    found = probe(write_m4b(ready, tmp_path / "- a 'book' ö.m4b"))
    assert [title.strip() for _, _, title in found["marks"]] == MARKS
    times = [(one.start / RATE_HZ, one.end / RATE_HZ) for one in ready.line.chapters]
    assert [mark[:2] for mark in found["marks"]] == [pytest.approx(time, abs=0.002) for time in times]
    known = {"title": "-A 'Book' = 1; #2", "artist": "Selma Lagerlöf, N. N.", "genre": "Audiobook", "composer": "Alba"}
    assert known.items() <= found["format"]["tags"].items()
    assert "creation_time" not in found["format"]["tags"]
    sound = next(one for one in found["streams"] if one["codec_type"] == "audio")
    assert (sound["codec_name"], sound["channels"], sound["tags"]["language"]) == ("aac", 1, "swe")
    picture = next(one for one in found["streams"] if one["codec_type"] == "video")
    assert picture["disposition"]["attached_pic"] == 1
    assert (picture["codec_name"], picture["width"], picture["height"]) == (
        "mjpeg" if form == "JPEG" else "png",
        30,
        40,
    )
    assert float(found["format"]["duration"]) == pytest.approx(ready.line.seconds(ready.line.samples), abs=0.1)


def test_every_sentence_is_heard_at_its_time(tmp_path: Path) -> None:
    ready = finished(book(["One", "Two"]), speech(tmp_path / "units", [3, 2]))
    sound = decoded(write_m4b(ready, tmp_path / "book.m4b"))
    for number, sentence in enumerate(ready.line.sentences):
        part = sound[sentence.start + 800 : sentence.end - 800]
        spectrum = np.abs(np.fft.rfft(part))
        assert np.argmax(spectrum) * RATE_HZ / len(part) == pytest.approx(200 + 50 * [1, 2, 3, 1, 2][number], abs=4)
        assert np.abs(sound[sentence.end + 1500 : sentence.pause_end - 1500]).max() < 0.01


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    units = speech(tmp_path / "units", [2, 2])
    content = book(["One", "Two"], Cover("image/png", image("PNG")))
    runs = [write_m4b(finished(content, units), tmp_path / name / "book.m4b").read_bytes() for name in ("a", "b")]
    assert runs[0] == runs[1]


def test_loud_peaks_stay_below_the_limit(tmp_path: Path) -> None:
    """Clicks in quiet speech: the gain that the chapter needs would raise them far above full scale."""
    random = np.random.default_rng(1)
    sound = 0.02 * random.standard_normal(6 * RATE_HZ)
    sound[::4000] = 0.9
    ready = finished(book(["One"]), [spoken(tmp_path / "a.wav", sound)])
    assert ready.levels.gains_db[0] > 6
    loudness, peak = heard(write_m4b(ready, tmp_path / "book.m4b", lambda done, total: None))
    assert peak <= -1.5 and loudness == pytest.approx(-18, abs=2.5)


@pytest.mark.slow
@pytest.mark.ffprobe
def test_ten_thousand_chapters(tmp_path: Path) -> None:
    one = spoken(tmp_path / "a.wav", 0.1 * np.ones(160))
    units = [replace(one, chapter=number) for number in range(1, 10_001)]
    content = book([f"Chapter {number}" for number in range(1, 10_001)])
    ready = finished(content, units, JoinSettings(pauses=Pauses(chapter=0.05)))
    found = probe(write_m4b(ready, tmp_path / "book.m4b"))
    assert [title for _, _, title in found["marks"]] == [chapter.title for chapter in content.chapters]
    starts = [start for start, _, _ in found["marks"]]
    assert starts == sorted(set(starts))


def test_progress_counts_the_chapters(tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    ready = finished(book(["One", "Two"]), speech(tmp_path / "units", [1, 1]))
    write_m4b(ready, tmp_path / "book.m4b", lambda done, total: steps.append((done, total)))
    assert steps == [(1, 2), (2, 2)]


@pytest.fixture(params=["one piece", "parts"])
def _pieces(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is encoded in one piece, and in parts."""
    if request.param == "parts":
        monkeypatch.setattr(parts_module, "PART_SECONDS", 1.0)


@pytest.mark.usefixtures("_pieces")
def test_speech_that_changes_while_it_is_joined_leaves_the_old_file(tmp_path: Path) -> None:
    ready = finished(book(["One", "Two"]), speech(tmp_path / "units", [2, 2]))
    (tmp_path / "book.m4b").write_bytes(b"mine")
    ready.line.sentences[3].spoken.path.write_bytes(b"changed")
    with pytest.raises(DamagedFileError, match="chapter 2, sentence 2"):
        write_m4b(ready, tmp_path / "book.m4b")
    assert (tmp_path / "book.m4b").read_bytes() == b"mine"
    assert not list(tmp_path.glob(".*"))


def test_without_ffmpeg_it_is_exit_code_7(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [1]))
    monkeypatch.setattr(ffmpeg_module.shutil, "which", lambda name: None)
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingProgramError) as caught:
        write_m4b(ready, tmp_path / "book.m4b")
    assert caught.value.exit_code == 7
    assert [path.name for path in tmp_path.iterdir()] == ["units"]


@pytest.fixture
def ffmpeg_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts an ffmpeg that runs a line of shell before others in the PATH."""

    def put(line: str) -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "ffmpeg").write_text(f"#!/bin/sh\n{line}\n")
        (folder / "ffmpeg").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return put


@pytest.mark.parametrize("line", ["head -c 9000 >/dev/null; kill -9 $$", "kill -9 $$"])
def test_an_ffmpeg_that_is_killed_leaves_nothing(tmp_path: Path, ffmpeg_that: Callable[[str], None], line: str) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [8]))
    ffmpeg_that(line)
    with pytest.raises(VoxmatrixError, match=r"ffmpeg was terminated by SIGKILL while it wrote .*book\.m4b") as caught:
        write_m4b(ready, tmp_path / "book.m4b")
    assert "run the same command again" in caught.value.remedy
    assert {path.name for path in tmp_path.iterdir()} == {"units", "bin"}


def test_an_ffmpeg_that_ends_early_without_an_error_is_no_success(
    tmp_path: Path, ffmpeg_that: Callable[[str], None]
) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [8]))
    ffmpeg_that("exit 0")
    with pytest.raises(VoxmatrixError):
        write_m4b(ready, tmp_path / "book.m4b")
    assert not (tmp_path / "book.m4b").exists()


@pytest.mark.usefixtures("_pieces")
def test_ctrl_c_ends_ffmpeg_and_leaves_nothing(tmp_path: Path) -> None:
    ready = finished(book(["One", "Two"]), speech(tmp_path / "units", [2, 2]))

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_m4b(ready, tmp_path / "book.m4b", interrupt)
    assert [path.name for path in tmp_path.iterdir()] == ["units"]


@pytest.mark.parametrize(
    ("out", "bitrate"), [("book.wav", None), ("book", None), ("book.m4b", "lots"), ("b.m4b", "0k")]
)
def test_formats_and_bit_rates_are_checked(tmp_path: Path, out: str, bitrate: str | None) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [1]), JoinSettings(bitrate=bitrate))
    with pytest.raises(UsageError):
        write_m4b(ready, tmp_path / out)


def test_the_bit_rate_decides_the_size(tmp_path: Path) -> None:
    units = speech(tmp_path / "units", [8])
    small, large = (
        write_m4b(finished(book(["One"]), units, JoinSettings(bitrate=rate)), tmp_path / f"{rate}.m4b").stat().st_size
        for rate in ("24k", "96k")
    )
    assert small < large


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_exit_code_8(tmp_path: Path) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [1]))
    (tmp_path / "locked").mkdir(0o500)
    with pytest.raises(UnreachableError, match="Permission denied"):
        write_m4b(ready, tmp_path / "locked" / "book.m4b")


def test_a_file_in_the_way_of_the_folder_is_exit_code_8(tmp_path: Path) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [1]))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UnreachableError, match="a file is in the way"):
        write_m4b(ready, tmp_path / "file" / "book.m4b")


@pytest.mark.mount
@pytest.mark.parametrize("kib", [4, 40, 70])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, kib: int) -> None:
    random = np.random.default_rng(1)
    units = [spoken(tmp_path / "a.wav", 0.1 * random.standard_normal(10 * RATE_HZ))]
    ready = finished(book(["One"]), units)
    whole = write_m4b(ready, tmp_path / "whole.m4b").stat().st_size
    assert whole > 75 * 1024
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(disk)], check=True)
    try:
        with pytest.raises(UnreachableError, match="No space left on device") as caught:
            write_m4b(ready, disk / "book.m4b")
        assert caught.value.exit_code == 8 and "free some space" in caught.value.remedy
        assert not list(disk.iterdir())
    finally:
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_path_may_look_like_an_option_or_a_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = finished(book(["One"]), speech(tmp_path / "units", [1]))
    monkeypatch.chdir(tmp_path)
    for name in ("-y.m4b", "concat:a|b.m4b", "%d 'ö'.m4b"):
        assert write_m4b(ready, Path(name)).stat().st_size > 1000


def test_what_ffmpeg_says_although_it_ended_well_is_a_warning(
    tmp_path: Path, ffmpeg_that: Callable[[str], None]
) -> None:
    ffmpeg_that("echo '[ipod @ 0x5566ab] Application provided duration is invalid' >&2\ncat >/dev/null")
    with (
        pytest.warns(ProgramWarning, match=r"book\.m4b, and says: \[ipod\] Application provided duration is invalid"),
        ffmpeg_module.fed_ffmpeg([], [], tmp_path / "book.m4b") as send,
    ):
        send(b"sound")
