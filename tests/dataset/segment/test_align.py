"""Each clip gets the words of the text that it has, whatever was read or heard otherwise; or none, or a doubt."""

import itertools
import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from voxmatrix.dataset.segment.align import Span, align, letters


def words(text: str) -> list[str]:
    return text.split()


TEXT = words(
    "Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once or "
    "twice she had peeped into the book her sister was reading, but it had no pictures or conversations in it."
)
#: Where a reader pauses.
CUTS = (0, 7, 15, 21, 34, 43)


def heard(text: list[str], cuts: tuple[int, ...] = CUTS) -> list[list[str]]:
    """What is heard of clips that begin and end at these words."""
    return [[letters(word) for word in text[start:end]] for start, end in itertools.pairwise(cuts)]


def spans(clips: list[list[str]], text: list[str] = TEXT) -> list[tuple[int, int] | None]:
    return [None if span is None else (span.start, span.end) for span in align(clips, text)]


RIGHT = list(itertools.pairwise(CUTS))


@pytest.mark.parametrize(
    ("word", "instead"),
    [
        (2, ["begining"]),  # spelt otherwise
        (2, ["be", "ginning"]),  # in two words
        (14, ["bang"]),  # the last of a clip
        (21, ["one"]),  # the first of a clip
        (21, []),  # not heard; the pause is where the text has a mark
        (7, []),  # not heard, and there is no mark
    ],
)
def test_words_heard_wrong_are_those_of_the_text(word: int, instead: list[str]) -> None:
    clips = heard(TEXT)
    clip = next(number for number, (start, end) in enumerate(RIGHT) if start <= word < end)
    place = word - RIGHT[clip][0]
    clips[clip][place : place + 1] = instead
    found = align(clips, TEXT)
    for number, (span, right) in enumerate(zip(found, RIGHT, strict=True)):
        assert span is not None
        assert (span.start, span.end) == right or (span.doubt and number in (clip - 1, clip))
        assert span.confidence == 1.0 or number == clip


def test_a_page_that_was_not_read_is_in_no_clip() -> None:
    page = words("It was a dark and stormy night and nobody had ever heard of anything like it before.")
    text = TEXT[:21] + page + TEXT[21:]
    assert spans(heard(TEXT), text) == [*RIGHT[:3], *((start + 17, end + 17) for start, end in RIGHT[3:])]


def test_a_short_heading_that_was_not_read_is_in_no_clip() -> None:
    text = ["Alice", *TEXT]
    assert [span and span.doubt for span in align(heard(TEXT), text, {1})] == [""] * 5
    assert spans(heard(TEXT), text) == [(start + 1, end + 1) for start, end in RIGHT]


def test_a_note_in_the_midst_of_a_clip_is_not_of_its_text() -> None:
    note = words("Page 12. It was a dark and stormy night and nobody had ever heard of anything like it before.")
    found = align(heard(TEXT), TEXT[:11] + note + TEXT[11:])
    assert all(span and not span.doubt and span.confidence == 1.0 for span in found)
    assert found[1] is not None
    assert found[1].of(TEXT[:11] + note + TEXT[11:]) == TEXT[7:15]


def test_letters_that_are_equal_by_chance_far_away_are_no_words_of_a_clip() -> None:
    """The clips behind the first were left out, and the first ends with letters too many that are in `peeped`."""
    clips = heard(TEXT)
    clips[0][-1] += "pe"
    found = align([clips[0], clips[4]], TEXT)
    assert [(span.start, span.end, span.doubt) for span in found if span] == [(*RIGHT[0], ""), (*RIGHT[4], "")]


def test_a_page_that_is_not_in_the_text_has_no_span() -> None:
    page = [letters(word) for word in words("the quick brown fox jumps over every lazy dog in my old yard")]
    clips = heard(TEXT)
    found = spans([*clips[:3], page, *clips[3:]])
    assert found == [*RIGHT[:3], None, *RIGHT[3:]]


def test_a_wrong_page_has_no_span() -> None:
    page = words("It was a dark and stormy night and nobody had ever heard of anything like it before.")
    assert spans(heard(TEXT), TEXT[:21] + page + TEXT[34:])[3] is None


@pytest.mark.parametrize(
    "said",
    [
        "and of having nothing to do nothing to do",  # said twice
        "and of uh I mean of having nothing to do",
        "and to do",  # skipped
    ],
)
def test_what_was_read_otherwise_is_doubtful(said: str) -> None:
    clips = heard(TEXT)
    clips[2] = said.split()
    found = align(clips, TEXT)
    assert found[2] is None or found[2].doubt
    assert all(span and not span.doubt for span in (*found[:2], *found[3:]))


def test_the_wrong_text_has_no_clip() -> None:
    assert align(heard(TEXT), ["Call", "me", "Ishmael."]) == [None] * 5
    assert align(heard(TEXT), []) == [None] * 5
    assert align([[], ["alice"]], TEXT)[0] is None
    assert align([], TEXT) == []


WORDS = words("the a and alice cat dog king queen said went running turtle mock gryphon sat down very well")


@given(st.integers(0, 2**32))
@example(7706)  # a clip whose last word stands twice in the text
@example(16847)  # the first word, of one letter, stands also before a part that nobody reads
@example(575707971)  # so does the last word, behind a word with a letter too many
@example(2177632353)  # a clip of one short word of something else, which has letters of a long one
def test_no_clip_without_a_doubt_has_other_words(seed: int) -> None:
    """Words are heard wrong, missed or added; clips are read twice, and pages left out or exchanged."""
    dice = random.Random(seed)
    names = [f"{dice.choice(WORDS)}{dice.choice(WORDS)}" for _ in range(40)]
    text = [dice.choice(WORDS + names) + dice.choice(["", "", "", ",", "."]) for _ in range(dice.randrange(0, 250))]
    clips, right = [], []
    place = 0
    while place < len(text):
        end = min(len(text), place + dice.randrange(5, 20))
        action = dice.random()
        said = [letters(word) for word in text[place:end]]
        if action < 0.1:  # a page of something else
            clips.append([dice.choice(["zyx", "wvut", "qpon", "mlk"]) for _ in said])
            right.append(None)
        if action < 0.2 and sum(map(len, said)) > 6:  # a part that nobody reads
            place = end
            continue
        if action < 0.6:  # a word heard wrong within
            said[dice.randrange(1, max(2, len(said) - 1)) % len(said)] += dice.choice("aeiou")
        clips.append(said)
        right.append((place, end))
        place = end
    found = align(clips, text)
    assert len(found) == len(clips)
    sure = [span for span in found if span is not None and not span.doubt]
    assert all(one.end <= other.start for one, other in itertools.pairwise(sure))
    for span, wanted in zip(found, right, strict=True):
        if span is not None and not span.doubt:
            assert isinstance(span, Span)
            assert (span.start, span.end) == wanted or _same_words(text, span, wanted)


def _same_words(text: list[str], span: Span, wanted: tuple[int, int] | None) -> bool:
    """Equal words at another place: nobody can tell."""
    if wanted is None:
        return False
    return [letters(word) for word in span.of(text)] == [letters(word) for word in text[slice(*wanted)]]
