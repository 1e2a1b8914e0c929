import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxmatrix.text.phonemes.clauses import clauses


def marks(text: str, voice: str = "en-us") -> list[str]:
    return [clause.mark for clause in clauses(text, voice)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One, two; three: four.", [",", ";", ":", "."]),
        ("Why? Oh! No", ["?", "!", ""]),
        ("It costs 1,000.5 at 5:30", [""]),
        ("wait... what", ["", ""]),
        ("he (said.) She", [".", ""]),
        ("one – two — three", [";", ";", ""]),
        ("你好。 他来了！好", ["", "", ""]),
        ("كيف؟ نعم", ["?", ""]),
        ("नमस्ते। हाँ", ["", ""]),
        ("", []),
        ("   ", []),
    ],
)
def test_a_mark_ends_a_clause_before_a_space(text, expected):
    assert marks(text) == expected


@pytest.mark.parametrize(
    "text", ["the approx. value", "a.b.c. they", "in the U.S.A.'s name", "... then", "?! what", "zed. 'single'"]
)
def test_a_mark_that_only_looks_like_the_end(text):
    assert marks(text) == [""]


@pytest.mark.parametrize(
    ("text", "expected"), [("What?!? No", ["?", ""]), ("Oh!, no", ["!", ""]), ("one,. two", [",", ""])]
)
def test_of_several_marks_the_first_counts(text, expected):
    assert marks(text) == expected


def test_a_roman_ordinal_keeps_its_dot_where_ordinals_have_one():
    assert marks("Ludwig XIV. Kaiser", "de") == [""]
    assert marks("Louis XIV. Then", "en-us") == [".", ""]


def test_a_georgian_sentence_may_begin_small():
    assert marks("ერთი. ორი", "ka") == [".", ""]


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_the_clauses_of_a_text_are_the_text(text):
    joined = "".join(clause.text for clause in clauses(text))
    assert text.startswith(joined)
    assert text[len(joined) :].strip() == ""
