import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.book.join.books import book, probe
from tests.book.join.test_timeline import said
from tests.examples import examples
from voxmatrix.audio.ffmpeg import ffmpeg_program
from voxmatrix.book.content import Book, Metadata
from voxmatrix.book.join.tags import Track, chapter_title, metadata_file, one_line, shortened, tags, three_letters
from voxmatrix.book.join.timeline import timeline

HOSTILE = [
    "[CHAPTER]\nSTART=0\ntitle=x",
    "a=b;c#d\\",
    "\\",
    "-y",
    "'\"`$(x)",
    ";FFMETADATA1",
    "\r\n\0\x1b[31m",
    "ÅÄÖ 中文 🎧",
]


@pytest.mark.ffprobe
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(max_size=40), min_size=1, max_size=12))
@example(HOSTILE)
@example(["x" * 2000, "ö" * 300, "\ud83d half a character", ""])
def test_players_read_the_titles_that_were_written(tmp_path: Path, titles: list[str]) -> None:
    line = timeline(book(titles).chapters, [said(1, 1)])
    metadata, out = tmp_path / "metadata.txt", tmp_path / "out.mka"
    metadata.write_text(metadata_file({"title": one_line(titles[0]) or "?"}, line), encoding="utf-8")
    silence = ["-f", "lavfi", "-t", "0.01", "-i", "anullsrc"]
    inputs = [*silence, "-f", "ffmetadata", "-i", f"file:{metadata}", "-map_metadata", "1", "-map_chapters", "1"]
    subprocess.run([ffmpeg_program(), "-v", "error", "-y", *inputs, str(out)], check=True)
    found = probe(out)
    wanted = [chapter_title(title, index) for index, title in enumerate(titles, start=1)]
    assert [title.strip() for _, _, title in found["marks"]] == wanted
    assert found["format"]["tags"]["title"].strip() == (one_line(titles[0]) or "?")


@given(st.text())
def test_a_title_is_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert len(line.encode()) <= 255 and "\n" not in line and line == line.strip()
    assert one_line(line) == line


def test_a_title_cannot_turn_the_direction_of_the_text_around_it() -> None:
    assert one_line("Chapter \u202e3pm.exe\u202c \u05d0\u05b0\u200f") == "Chapter 3pm.exe \u05d0\u05b0\u200f"


@pytest.mark.parametrize(
    ("text", "most", "cut"),
    [
        ("He hasn’t been the first vampire to have a castle", 40, "He hasn’t been the first vampire to…"),
        ("He hasn’t been the first vampire, to have a castle", 38, "He hasn’t been the first vampire…"),
        ("one two", 7, "one two"),
        ("one twos", 7, "one…"),
        ("one two threes", 10, "one two…"),
        ("吾輩は猫である。名前はまだ無い。", 20, "吾輩は猫で…"),
        ("Incomprehensibilities", 10, "Incompr…"),
    ],
)
def test_a_description_is_cut_behind_a_word(text: str, most: int, cut: str) -> None:
    assert shortened(text, most) == cut


@given(st.text(), st.integers(3, 300))
def test_what_is_shortened_fits(text: str, most: int) -> None:
    assert len(shortened(text, most).encode()) <= most
    assert shortened(text, 4 * len(text) + 3) == one_line(text, 4 * len(text))


@pytest.mark.parametrize(
    ("date", "shown"), [("2014-05-25", "2014"), ("about 1890", "about 1890"), ("20140525", "20140525")]
)
def test_a_date_is_shown_as_the_year(date: str, shown: str) -> None:
    content = replace(book([]), about=Metadata(date=date, publisher="Hill"))
    assert (tags(content)["date"], tags(content)["copyright"]) == (shown, f"{shown} Hill")


def test_the_tags_of_a_book_and_of_a_track() -> None:
    assert tags(book([]), narrator="Alba") == {
        "title": "A Book",
        "album": "A Book",
        "artist": "Selma Lagerlöf, N. N.",
        "album_artist": "Selma Lagerlöf, N. N.",
        "composer": "Alba",
        "genre": "Audiobook",
        "language": "swe",
        "media_type": "2",
    }
    track = tags(book([]), track=Track(number=3, of=12, title="Third"))
    assert (track["title"], track["album"], track["track"]) == ("Third", "A Book", "3/12")


def test_what_is_not_known_is_not_tagged() -> None:
    assert tags(Book("", (), "", None, ())) == {"genre": "Audiobook", "media_type": "2"}


@pytest.mark.parametrize(
    ("tag", "code"),
    [
        ("sv", "swe"),
        ("en-US", "eng"),
        ("pt_BR", "por"),
        ("DE", "deu"),
        ("gsw", "gsw"),
        ("", ""),
        ("x", ""),
        ("12a", ""),
    ],
)
def test_languages_have_three_letters(tag: str, code: str) -> None:
    assert three_letters(tag) == code
