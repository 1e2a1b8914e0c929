from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.book.join.books import book
from voxmatrix.book.join.timeline import EMPTY_CHAPTER_SECONDS, Pauses, Spoken, timeline
from voxmatrix.errors import BadInputError, UsageError


def said(chapter: int, index: int, samples: int = 100, rate_hz: int = 100, *, starts_paragraph: bool = False) -> Spoken:
    return Spoken(
        chapter=chapter,
        index=index,
        text="Hello.",
        path=Path("none"),
        samples=samples,
        rate_hz=rate_hz,
        sha256="",
        starts_paragraph=starts_paragraph,
    )


def test_the_pause_depends_on_what_follows() -> None:
    sentences = [said(1, 1, starts_paragraph=True), said(1, 2), said(1, 3, starts_paragraph=True), said(2, 1)]
    line = timeline(book(["One", "Two"]).chapters, sentences, Pauses(sentence=0.1, paragraph=0.5, chapter=3.0))
    times = [(one.start, one.end, one.pause_end) for one in line.sentences]
    assert times == [(0, 100, 110), (110, 210, 260), (260, 360, 660), (660, 760, 1060)]
    assert [(one.start, one.end) for one in line.chapters] == [(0, 660), (660, 1060)]
    assert (line.samples, line.seconds(line.samples)) == (1060, 10.6)


@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=8).filter(any),
    samples=st.integers(1, 10_000),
    pause=st.floats(0, 2),
    rate_hz=st.sampled_from([8000, 16000, 22050, 48000]),
)
def test_sentences_and_chapters_follow_each_other(counts: list[int], samples: int, pause: float, rate_hz: int) -> None:
    sentences = [
        said(chapter, index, samples, rate_hz)
        for chapter, count in enumerate(counts, start=1)
        for index in range(1, count + 1)
    ]
    line = timeline(book([""] * len(counts)).chapters, sentences, Pauses(sentence=pause))
    at = 0
    for chapter in line.chapters:
        assert chapter.start == at < chapter.end
        for sentence in chapter.sentences:
            assert at == sentence.start and sentence.end == at + samples <= sentence.pause_end
            at = sentence.pause_end
        at = at if chapter.sentences else at + round(EMPTY_CHAPTER_SECONDS * rate_hz)
        assert chapter.end == at
    assert [one.spoken for one in line.sentences] == sentences


def test_a_chapter_without_sentences_keeps_its_place() -> None:
    line = timeline(book(["One", "Picture", "Three"]).chapters, [said(1, 1), said(3, 1)])
    assert [len(one.sentences) for one in line.chapters] == [1, 0, 1]
    assert line.chapters[1].end - line.chapters[1].start == 100


@pytest.mark.parametrize(
    ("sentences", "named"),
    [
        ([said(1, 1), said(1, 3)], "chapter 1, sentence 2 is missing"),
        ([said(1, 1), said(2, 2)], "chapter 2, sentence 1 is missing"),
        ([said(1, 1), said(1, 1)], r"chapter 1, sentence 1 \('Hello.'\) is out of order, or appears twice"),
        ([said(1, 2), said(1, 1)], "chapter 1, sentence 1 is missing"),
        ([said(1, 1), said(7, 1)], "chapter 7, which the book does not have"),
        ([said(1, 1), said(1, 2, rate_hz=200)], r"chapter 1, sentence 2 .* has 200 samples per second"),
        ([said(1, 1, samples=0)], r"chapter 1, sentence 1 .* contains no sound"),
        ([], "no sentence of this book was spoken"),
    ],
)
def test_a_gap_is_named(sentences: list[Spoken], named: str) -> None:
    with pytest.raises(BadInputError, match=named) as caught:
        timeline(book(["One", "Two"]).chapters, sentences)
    assert caught.value.remedy


def test_a_book_without_chapters_has_nothing_to_join() -> None:
    with pytest.raises(BadInputError, match="no sentence"):
        timeline((), [])


@pytest.mark.parametrize("seconds", [-0.1, 61.0, float("nan"), float("inf")])
def test_a_pause_that_makes_no_sense_is_a_usage_error(seconds: float) -> None:
    with pytest.raises(UsageError, match="pause after a paragraph"):
        Pauses(paragraph=seconds)


def test_captions_name_who_begins_to_speak() -> None:
    who = ["", "Anna", "Anna", "a man", "Anna"]
    sentences = [replace(said(1, number), who=one) for number, one in enumerate(who, start=1)]
    line = timeline(book(["One"]).chapters, sentences)
    texts = [caption.text for caption in line.captions_with_speakers()]
    assert texts == ["Hello.", "Anna: Hello.", "Hello.", "Hello.", "Anna: Hello."]
