import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from voxmatrix.text.lines import blocks, unwrap

LONG = "It was a cold day, and the men of the village went out into the fields"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a sentence\nin two lines.", ["a sentence in two lines."]),
        (f"The Beginning\n{LONG}\nbefore dawn.", ["The Beginning", f"{LONG} before dawn."]),
        (f"CHAPTER ONE\n{LONG}.", ["CHAPTER ONE", f"{LONG}."]),
        ("To whom it may concern:\nTHE BOARD", ["To whom it may concern:", "THE BOARD"]),
        ("milk\nbread, butter\ntea", ["milk", "bread, butter", "tea"]),
        ("- milk and\nbread\n- tea", ["- milk and bread", "- tea"]),
        ("We need:\n1. milk\n2. tea", ["We need:", "1. milk", "2. tea"]),
        ("We met on the\n12. of June.", ["We met on the 12. of June."]),
        ("1) milk 2) tea 3) bread", ["1) milk", "2) tea", "3) bread"]),
        ("a. milk b. tea", ["a. milk", "b. tea"]),
        ("1. milk costs 3. dollars", ["1. milk costs 3. dollars"]),
        ("• 9. milk • 10. tea", ["• 9. milk", "• 10. tea"]),
        ("____\nText\n* * *", ["____", "Text", "* * *"]),
    ],
)
def test_headings_and_list_items_are_blocks_of_their_own(text, expected):
    assert list(blocks(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("an exam-\nple", "an example"),
        ("a well-\nknown word", "a well-known word"),
        ("a sea-\nman, sea-man", "a sea-man, sea-man"),
        ("a sea-\nman, seaman, sea-man", "a seaman, seaman, sea-man"),
        ("mother-in-\nlaw", "mother-in-law"),
        ("a soft\u00ad\nware", "a software"),
        ("1990-\n1995", "1990-1995"),
        ("これは父の\n家です。", "これは父の家です。"),
        ("two\r\nlines", "two\nlines"),
    ],
)
def test_a_word_divided_between_lines_is_joined(text, expected):
    assert unwrap(text) == expected


@settings(max_examples=examples(300))
@given(st.text(alphabet="ab A1.2) (-•*_\n\r,:", max_size=80))
def test_blocks_lose_and_add_no_character(text):
    found = list(blocks(text))
    assert all(block.strip() == block != "" for block in found)
    assert "".join("".join(found).split()) == "".join(text.split())
