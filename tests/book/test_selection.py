import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.book.content import Book, Chapter, Speech
from voxmatrix.book.selection import beginning, select_chapters
from voxmatrix.book.units import sentences
from voxmatrix.errors import UsageError
from voxmatrix.work.estimate import estimated_seconds

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
    first = beginning(book(("For Ada.",), ("* * *",), (SENTENCE,) * 10, (SENTENCE,) * 10), "en", 61.0)

    assert [chapter.index for chapter in first.chapters] == [1, 3, 4]
    spoken = [text for chapter in first.chapters for text in chapter.paragraphs]
    assert spoken == ["For Ada.", *[SENTENCE] * (len(spoken) - 1)]
    assert 61 <= sum(map(estimated_seconds, spoken)) < 61 + estimated_seconds(SENTENCE)


def test_a_beginning_ends_with_a_sentence_of_a_long_paragraph():
    first = beginning(book((" ".join([SENTENCE] * 100),), ("The end.",)), "en", 60.0)

    (chapter,) = first.chapters
    (paragraph,) = chapter.paragraphs
    sentences = paragraph.count(SENTENCE)
    assert paragraph == " ".join([SENTENCE] * sentences)
    assert 60 <= sentences * estimated_seconds(SENTENCE) < 60 + estimated_seconds(SENTENCE)


def test_a_beginning_keeps_tags_and_spaces_and_the_speech_in_it():
    paragraph = f"She stood up [pause:2s]  and said “Come.” [rate:0.8] Bob: {SENTENCE} {SENTENCE}[rate] No."
    come, bob = paragraph.index("“Come"), paragraph.index("The")
    speeches = tuple(Speech(number, *place) for number in (0, 1, 2) for place in ((come, come + 7), (bob, bob + 123)))
    known = Book("Harbour", (), "en", None, (Chapter(1, "One", (paragraph,) * 3, speeches),))
    seconds = [estimated_seconds(one.text) for one in sentences((paragraph,), "en")]

    (chapter,) = beginning(known, "en", sum(seconds) + sum(seconds[:-2]) - 0.1).chapters

    assert chapter.paragraphs == (paragraph, paragraph[: bob + len(SENTENCE)])
    assert chapter.speeches == (*speeches[:3], Speech(1, bob, bob + len(SENTENCE)))


@given(
    st.lists(
        st.sampled_from(["One", "two.", "“Three!”", "four. »", "- five", "...", "* * *", "[pause:1s]", "6 “", "x_?"])
    ),
    st.integers(1, 20),
    st.sampled_from([" ", "  ", "\n"]),
)
def test_a_beginning_has_the_first_sentences_of_the_book(words, seconds, space):
    paragraph = space.join(["Zero", *words])
    (chapter,) = beginning(book((paragraph,)), "en", seconds).chapters

    whole = [one.text for one in sentences((paragraph,), "en")]
    first = [one.text for one in sentences(chapter.paragraphs, "en")]
    assert paragraph.startswith(chapter.paragraphs[0])
    assert first == whole[: len(first)]
    assert first == whole or sum(map(estimated_seconds, first[:-1])) < seconds <= sum(map(estimated_seconds, first))


@pytest.mark.parametrize("short", [book(("For Ada.", "* * *"), (SENTENCE,)), book(("* * *",))])
def test_the_beginning_of_a_short_book_is_all_of_it(short):
    assert beginning(short, "en", 60.0) == short
