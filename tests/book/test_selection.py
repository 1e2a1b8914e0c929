import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.book.content import Book, Chapter
from voxmatrix.book.selection import beginning, select_chapters
from voxmatrix.errors import UsageError
from voxmatrix.work.job import estimated_seconds

#: Some 4 seconds of speech.
SENTENCE = "The old harbour was quiet that morning, and no ship came in."


def book(*chapters: tuple[str, ...]) -> Book:
    numbered = tuple(Chapter(index, f"Chapter {index}", texts) for index, texts in enumerate(chapters, start=1))
    return Book("Harbour", (), "en", None, numbered)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ("1", (1,)),
        ("3-7,9", (3, 4, 5, 6, 7, 9)),
        (" 2 , 1-2 ", (1, 2)),
        ("-2", (1, 2)),
        ("9-", (9, 10)),
        ("10", (10,)),
        ("4–5", (4, 5)),
    ],
)
def test_chapters_are_selected(wanted, expected):
    assert select_chapters(wanted, 10) == expected


@pytest.mark.parametrize(
    "wanted", ["", ",", "-", "0", "0-3", "11", "3-11", "7-3", "one", "1,,2", "1-2-3", "1;2", "٣x", "9" * 30]
)
def test_what_is_not_in_the_book_is_an_error_that_says_what_is(wanted):
    with pytest.raises(UsageError, match="select from 1 to 10"):
        select_chapters(wanted, 10)


@given(st.sets(st.integers(1, 50), min_size=1))
def test_any_list_of_chapters_selects_them_in_order(chapters):
    assert select_chapters(",".join(map(str, chapters)), 50) == tuple(sorted(chapters))


def test_a_beginning_goes_on_in_the_next_chapters_until_it_is_long_enough():
    first = beginning(book(("For Ada.",), ("* * *",), (SENTENCE,) * 10, (SENTENCE,) * 10), "en", 60.0)

    assert [chapter.index for chapter in first.chapters] == [1, 3, 4]
    spoken = [text for chapter in first.chapters for text in chapter.paragraphs]
    assert spoken == ["For Ada.", *[SENTENCE] * (len(spoken) - 1)]
    assert 60 <= sum(map(estimated_seconds, spoken)) < 60 + estimated_seconds(SENTENCE)


def test_a_beginning_ends_with_a_sentence_of_a_long_paragraph():
    first = beginning(book((" ".join([SENTENCE] * 100),), ("The end.",)), "en", 60.0)

    (chapter,) = first.chapters
    (paragraph,) = chapter.paragraphs
    sentences = paragraph.count(SENTENCE)
    assert paragraph == " ".join([SENTENCE] * sentences)
    assert 60 <= sentences * estimated_seconds(SENTENCE) < 60 + estimated_seconds(SENTENCE)


@pytest.mark.parametrize("short", [book(("For Ada.", "* * *"), (SENTENCE,)), book(("* * *",))])
def test_the_beginning_of_a_short_book_is_all_of_it(short):
    assert beginning(short, "en", 60.0) == short
