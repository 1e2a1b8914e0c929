"""Every chapter has its mark in both places, whatever the length of the book and whichever ffmpeg wrote it."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.book.join.books import book, finished, spoken, tone
from voxmatrix.audio import ffmpeg as ffmpeg_module
from voxmatrix.book.join import m4b, sound_file
from voxmatrix.book.join.chapter_marks import MAX_NERO_MARKS, Mark, check_chapter_marks, read_chapter_marks
from voxmatrix.book.join.finished import FinishedSpeech, JoinSettings
from voxmatrix.book.join.m4b import parts, write_m4b
from voxmatrix.book.join.timeline import Pauses
from voxmatrix.errors import DamagedFileError

RATE_HZ = 8000


@pytest.fixture(params=["of the system", "of imageio-ffmpeg"])
def _ffmpeg(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "of imageio-ffmpeg":
        monkeypatch.setattr(ffmpeg_module.shutil, "which", lambda name: None)
    elif shutil.which("ffmpeg") is None:
        pytest.skip("the system has no ffmpeg")


def ready_book(tmp_path: Path, seconds: Sequence[float]) -> FinishedSpeech:
    """A book of chapters that last about so long, each with one sentence, which is the same sound."""
    one = spoken(tmp_path / "unit.flac", tone(min(*seconds, 5.0), rate_hz=RATE_HZ), rate_hz=RATE_HZ)
    units = [
        replace(one, chapter=chapter, index=index, text=f"{chapter}-{index}")
        for chapter, length in enumerate(seconds, start=1)
        for index in range(1, round(length * RATE_HZ / one.samples) + 1)
    ]
    titles = [f'"Åäö" 中文 🎧 {number} \\' for number in range(1, len(seconds) + 1)]
    return finished(book(titles), units, JoinSettings(pauses=Pauses(sentence=0.5, chapter=0.5)))


def planned(ready: FinishedSpeech) -> list[Mark]:
    return [Mark(ready.line.seconds(one.start), one.chapter.title) for one in ready.line.chapters]


def assert_marks(found: Sequence[Mark], expected: Sequence[Mark]) -> None:
    assert [mark.title.strip() for mark in found] == [mark.title for mark in expected]
    assert [mark.seconds for mark in found] == [pytest.approx(mark.seconds, abs=0.002) for mark in expected]


@pytest.mark.usefixtures("_ffmpeg")
@pytest.mark.parametrize("seconds", [[1, 3, 1], [5, 80, 100], [0.02] * 300], ids=["5 s", "3 min", "300 chapters"])
def test_both_places_have_every_chapter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: Sequence[float]
) -> None:
    monkeypatch.setattr(m4b, "PART_SECONDS", 180.0)
    ready = ready_book(tmp_path, seconds)
    assert (len(parts(ready)) > 1) == (sum(seconds) > 180)
    found = read_chapter_marks(write_m4b(ready, tmp_path / "book.m4b"))
    assert_marks(found.nero, planned(ready)[:MAX_NERO_MARKS])
    assert_marks(found.quicktime, planned(ready))


def test_an_ffmpeg_that_loses_marks_writes_no_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = ready_book(tmp_path, [1, 1])
    monkeypatch.setitem(sound_file._CONTAINER_OPTIONS, "m4b", ("-movflags", "+disable_chpl"))
    (tmp_path / "book.m4b").write_bytes(b"mine")
    with pytest.raises(DamagedFileError, match=r"mark 1 of 2 in the list of Nero .* and is missing") as caught:
        write_m4b(ready, tmp_path / "book.m4b")
    assert "what is spoken is kept" in caught.value.remedy
    assert (tmp_path / "book.m4b").read_bytes() == b"mine"
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("change", ["title", "time", "number"])
def test_marks_that_are_not_as_planned_are_named(tmp_path: Path, change: str) -> None:
    ready = ready_book(tmp_path, [1, 1, 1])
    path = write_m4b(ready, tmp_path / "book.m4b")
    first, second, third = ready.line.chapters
    other = {
        "title": (first, replace(second, chapter=replace(second.chapter, title="Other")), third),
        "time": (first, replace(second, start=second.start + RATE_HZ // 100), third),
        "number": (first, second),
    }[change]
    check_chapter_marks(path, ready.line, path)
    with pytest.raises(DamagedFileError, match=f"mark {3 if change == 'number' else 2} of"):
        check_chapter_marks(path, replace(ready.line, chapters=other), path)


def test_what_is_no_mp4_is_damaged(tmp_path: Path) -> None:
    whole = write_m4b(ready_book(tmp_path, [1, 1]), tmp_path / "book.m4b").read_bytes()
    for number, data in enumerate([b"", b"ID3" * 20, whole[:500], bytes(np.full(40, 255, np.uint8))]):
        path = tmp_path / f"{number}.m4b"
        path.write_bytes(data)
        with pytest.raises(DamagedFileError, match="not a complete MP4 file"):
            read_chapter_marks(path)


@pytest.mark.parametrize(
    ("box", "at", "content"), [(b"mdhd", 12, bytes(4)), (b"stts", 8, b"\xff" * 4), (b"stsz", 8, b"\x7f" * 4)]
)
def test_a_damaged_header_is_an_error_or_read_as_far_as_it_goes(
    tmp_path: Path, box: bytes, at: int, content: bytes
) -> None:
    path = write_m4b(ready_book(tmp_path, [5.0, 5.0]), tmp_path / "B.m4b")
    data = bytearray(path.read_bytes())
    place = data.rindex(box) + 4 + at
    data[place : place + len(content)] = content
    path.write_bytes(data)
    with suppress(DamagedFileError):
        assert len(read_chapter_marks(path).quicktime) <= 2
