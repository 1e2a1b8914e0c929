import random

import pytest

from voxmatrix.book.join.overlay.alignment import align

_WORDS = random.Random(1)
CHAPTER = [_WORDS.randrange(300) for _ in range(2000)]


def test_words_of_the_same_text() -> None:
    assert list(align(CHAPTER, CHAPTER)) == list(range(len(CHAPTER)))


def test_what_is_not_spoken_is_passed_over() -> None:
    notes = [7, 1, 2, 3] * 900
    source = [*notes, *CHAPTER[:1000], *notes, *CHAPTER[1000:], *notes]
    found = align(CHAPTER, source)
    places = [*range(3600, 4600), *range(8200, 9200)]
    assert sum(one == place for one, place in zip(found, places, strict=True)) >= 1990


def test_a_heading_stands_before_its_text_and_not_in_the_contents() -> None:
    heading = [900, 901, 902]
    contents = [*heading, 903, 904, 905]
    source = [*contents, *([906] * 500), *heading, *CHAPTER]
    assert list(align([*heading, *CHAPTER], source)) == list(range(506, 509 + len(CHAPTER)))


def test_words_that_were_changed_do_not_disturb_the_others() -> None:
    changed = [word if number % 10 else 5000 + number for number, word in enumerate(CHAPTER)]
    found = align(CHAPTER, changed)
    assert [place for number, place in enumerate(found) if number % 10] == [n for n in range(2000) if n % 10]
    assert set(found[::10]) == {-1}


def test_other_languages_have_no_word_in_common() -> None:
    assert set(align(CHAPTER, [word + 1000 for word in CHAPTER])) == {-1}


@pytest.mark.parametrize("spoken", [[], [1], [1] * 50_000])
def test_texts_without_a_place_of_their_own(spoken: list[int]) -> None:
    """What compares each word with each other one does not end here."""
    found = [place for place in align(spoken, [1] * 100_000) if place >= 0]
    assert found == sorted(set(found))


def test_long_texts() -> None:
    words = random.Random(2)
    spoken = [words.randrange(5000) for _ in range(100_000)]
    source = [word for word in spoken for _ in range(1 + (words.random() < 0.05))]
    found = align(spoken, source)
    assert sum(place >= 0 for place in found) > 99_900
    assert all(spoken[number] == source[place] for number, place in enumerate(found) if place >= 0)
