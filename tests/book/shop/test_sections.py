from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.book.content import Chapter
from voxmatrix.book.join.timeline import Pauses, Spoken, Timeline, timeline
from voxmatrix.book.shop.credits import OPENING
from voxmatrix.book.shop.sections import retail_sample, sections
from voxmatrix.tables.shops import shop_named

ACX = shop_named("acx")


def line(*chapters: tuple[str, list[float]]) -> Timeline:
    """A timeline of chapters with sentences of so many seconds."""
    made = [Chapter(number, title, ()) for number, (title, _) in enumerate(chapters)]
    spoken = [
        Spoken(chapter=chapter, index=index, text="", path=Path(), samples=round(100 * seconds), rate_hz=100, sha256="")
        for chapter, (_, sentences) in enumerate(chapters)
        for index, seconds in enumerate(sentences, start=1)
    ]
    return timeline(made, spoken, Pauses(sentence=1))


@given(st.lists(st.floats(0.1, 300), min_size=1, max_size=200), st.integers(400, 2000))
def test_no_file_is_too_long_and_no_sentence_is_lost(seconds: list[float], most: int) -> None:
    book, shop = line(("One", seconds), ("Two", [1.0])), replace(ACX, most_seconds=most + 300)
    *parts, other = sections(book, shop)
    assert [one for part in parts for one in part.sentences] == list(book.chapters[0].sentences)
    for part in parts:
        assert book.seconds(part.sentences[-1].end - part.sentences[0].start) <= most + 300
    titles = ["One"] if len(parts) == 1 else [f"One, part {number + 1}" for number in range(len(parts))]
    assert len({part.chapter.title for part in parts}) == len(parts) and other.chapter.title == "Two"
    assert parts[0].chapter.title in titles


def test_a_chapter_of_three_hours_is_two_files_of_the_same_length() -> None:
    found = sections(line(("x" * 200, [59.0] * 180), ("Empty", [])), ACX)
    assert [part.chapter.title for part in found] == ["x" * 30 + ", part 1", "x" * 30 + ", part 2"]
    assert [len(part.sentences) for part in found] == [90, 90]


def test_the_sample_is_of_the_first_chapter_of_a_minute_and_ends_with_a_sentence() -> None:
    book = line((OPENING, [70.0]), ("Motto", [5.0]), ("One", [50.0] * 9))
    assert [one.spoken.index for one in retail_sample(book, ACX)] == [1, 2, 3]
    assert retail_sample(book, ACX)[0].spoken.chapter == 2
    assert retail_sample(line(("Short", [20.0])), ACX) == ()
