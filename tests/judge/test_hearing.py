"""Words that are missing or too many are counted; those that are heard as others are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.judge.hearing import word_gaps

_TEXTS = st.lists(st.sampled_from(["one", "two", "red", "green", "house", "tree"]), max_size=8)


@pytest.mark.parametrize(
    ("text", "heard", "gaps"),
    [
        ("The bell rang twice.", "the bell rang twice", 0),
        ("The bell rang twice.", "The rang twice.", 1),
        ("The bell rang twice.", "The bell the bell rang twice.", 2),
        ("The ball sank.", "The bell rang.", 0),
        ("Everyone came in 1998.", "Every one came in nineteen ninety-eight.", 0),
        ("Hello there.", "", 2),
    ],
)
def test_gaps_are_counted(text: str, heard: str, gaps: int) -> None:
    assert word_gaps(text, heard, "en-us") == gaps


@given(_TEXTS, st.integers(0, 8))
def test_a_word_that_is_skipped_is_always_a_gap(words: list[str], place: int) -> None:
    heard = words[:place] + words[place + 1 :]
    assert word_gaps(" ".join(words), " ".join(heard), "en-us") == len(words) - len(heard)
    assert word_gaps(" ".join(words), " ".join(words), "en-us") == 0
