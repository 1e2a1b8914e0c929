import pytest

from voxmatrix.text.sentences import MAX_CHARACTERS
from voxmatrix.text.spoken import spoken_sentences


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en-us", "It was in 1998. 3 left.", ["It was in nineteen ninety-eight.", "three left."]),
        ("en-us", "1. Buy milk 2. Buy tea", ["one. Buy milk", "two. Buy tea"]),
        ("en-us", "An exam-\nple costs $5.\n\nThe end", ["An example costs five dollars.", "The end"]),
        ("en-us", "Wait... 5 men came. 6 left?", ["Wait. five men came.", "six left?"]),
        ("sv", "Han kom kl. 5. 3 dagar senare for han.", ["Han kom klockan fem.", "tre dagar senare for han."]),
        ("de", "„Ja.“ Sie kamen. Wann?", ['"Ja."', "Sie kamen.", "Wann?"]),
        ("en-us", "* * *\n____", []),
    ],
)
def test_a_text_is_split_before_its_numbers_are_read(language, text, expected):
    assert list(spoken_sentences(text, language)) == expected


def test_no_sentence_is_too_long_after_its_numbers_are_read():
    pieces = list(spoken_sentences("987,654,321 " * 30 + "men.", "en-us"))
    assert max(map(len, pieces)) <= MAX_CHARACTERS < sum(map(len, pieces))
