from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.book.join.books import book, decoded, finished, image, probe, speech
from voxmatrix.book.content import Chapter, Cover
from voxmatrix.book.join.chapter_files import chapter_file_name, join_chapter, write_chapter_files
from voxmatrix.book.join.finished import JoinSettings
from voxmatrix.errors import BadInputError, DamagedFileError

COVER = Cover("image/png", image("PNG"))


@pytest.mark.ffprobe
@pytest.mark.parametrize("extension", ["m4a", "mp3", "ogg", "opus", "flac"])
def test_each_chapter_is_a_file_with_tags_and_cover(tmp_path: Path, extension: str) -> None:
    content = book(["One", "Empty", "Tre/\\ä"], COVER)
    ready = finished(content, speech(tmp_path / "units", [2, 0, 3]), JoinSettings(narrator="Alba"))
    *files, playlist = write_chapter_files(ready, tmp_path / "book", extension)
    assert [path.name for path in files] == [f"01 One.{extension}", f"02 Empty.{extension}", f"03 Tre ä.{extension}"]
    assert sorted(tmp_path.joinpath("book").iterdir()) == sorted([*files, playlist])
    for number, path in enumerate(files, start=1):
        found = probe(path)
        sound = next(one for one in found["streams"] if one["codec_type"] == "audio")
        tags = {key.lower(): value for key, value in (sound.get("tags", {}) | found["format"].get("tags", {})).items()}
        assert tags["title"] == content.chapters[number - 1].title and tags["album"] == "A Book"
        assert tags["genre"] == "Audiobook" and tags["artist"] == "Selma Lagerlöf, N. N."
        assert tags["track"] == f"{number}/3"
        assert [one["codec_name"] for one in found["streams"] if one["codec_type"] == "video"] == ["png"]
        chapter = ready.line.chapters[number - 1]
        assert len(decoded(path)) / 16000 == pytest.approx((chapter.end - chapter.start) / 16000, abs=0.15)


def test_the_playlist_names_the_files_in_order(tmp_path: Path) -> None:
    ready = finished(book(["One\n#EXTINF:9,x", ""], title="A/B"), speech(tmp_path / "units", [1, 1]))
    playlist = write_chapter_files(ready, tmp_path / "book", "mp3")[-1]
    assert playlist.name == "A B.m3u8"
    lines = playlist.read_text(encoding="utf-8").splitlines()
    assert lines == ["#EXTM3U", "#EXTINF:3,One #EXTINF:9,x", "01 One #EXTINF 9,x.mp3", "#EXTINF:3,2", "02.mp3"]


def test_a_chapter_that_is_heard_early_is_that_of_the_finished_book_but_smaller(tmp_path: Path) -> None:
    units = speech(tmp_path / "units", [3, 4, 2])
    content, settings = book(["One", "Two", "Three"], COVER), JoinSettings()
    early = join_chapter(content, content.chapters[1], units[3:7], tmp_path / "B.partial", settings=settings)
    complete = write_chapter_files(finished(content, units), tmp_path / "B", "mp3")[1]
    assert early.parent.name == "B.partial" and early.name == complete.name
    assert early.stat().st_size < complete.stat().st_size
    assert len(decoded(early)) == len(decoded(complete))


def test_a_chapter_with_a_gap_cannot_be_heard_early(tmp_path: Path) -> None:
    units = speech(tmp_path / "units", [3])
    content = book(["One"])
    with pytest.raises(BadInputError, match="chapter 1, sentence 2 is missing"):
        join_chapter(content, content.chapters[0], units[::2], tmp_path, settings=JoinSettings())


@pytest.mark.parametrize("calls", [0, 2, 5])
def test_a_chapter_that_is_given_up_leaves_no_file(tmp_path: Path, calls: int) -> None:
    units = speech(tmp_path / "units", [3])
    content, left = book(["One"]), calls

    def check() -> None:
        nonlocal left
        if not left:
            raise InterruptedError
        left -= 1

    with pytest.raises(InterruptedError):
        join_chapter(content, content.chapters[0], units, tmp_path / "B", settings=JoinSettings(), check=check)
    assert not any((tmp_path / "B").glob("*"))


def test_damaged_speech_leaves_no_half_chapter(tmp_path: Path) -> None:
    ready = finished(book(["One", "Two"]), speech(tmp_path / "units", [2, 2]))
    ready.line.sentences[-1].spoken.path.unlink()
    ready.line.sentences[-1].spoken.path.write_bytes(b"x")
    with pytest.raises(DamagedFileError, match="chapter 2, sentence 2"):
        write_chapter_files(ready, tmp_path / "book", "mp3")
    assert [path.name for path in tmp_path.joinpath("book").iterdir()] == ["01 One.mp3"]


@given(title=st.text(), index=st.integers(1, 10_000))
def test_every_title_makes_a_file_name(title: str, index: int) -> None:
    name = chapter_file_name(Chapter(index, title, ()), 10_000, "mp3")
    assert name.startswith(f"{index:05}") and name.endswith(".mp3") and len(name.encode()) < 200
    assert not set(name) & set('/\\:*?"<>|\n\0') and name == Path(name).name
