import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxmatrix.text.phonemes.clauses import marks


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        (["One, t", "wo; t", "hree: f", "our."], [",", ";", ":", "."]),
        (["Why? O", "h! N", "o"], ["?", "!", ""]),
        (["It costs 1,000.5 at 5:30"], [""]),
        (["wait... w", "hat"], ["", ""]),
        (["he (said.)", " She"], [".", ""]),
        (["one – t", "wo — t", "hree"], [";", ";", ""]),
        (["你好。他", "来了！好"], ["", ""]),
        (["كيف؟ ن", "عم"], ["?", ""]),
        (["J. B", ". X", "y"], [".", ".", ""]),  # the letter of the second clause was read with the first
        (["VB. –", " e"], [".", ""]),  # what was read too far may be a mark itself
        (["What?!? N", "o"], ["?", ""]),  # of several marks the first counts
        (["?! what"], [""]),
        (["end.)", ""], [".", ""]),
        (["... then"], [""]),
        (["word " * 40, "more " * 40], ["", ""]),  # broken by espeak-ng because it is long
        ([""], [""]),
    ],
)
def test_a_mark_is_found_where_a_clause_ends(clauses, expected):
    ends = [len("".join(clauses[:number])) for number in range(1, len(clauses) + 1)]
    assert list(marks("".join(clauses), ends)) == expected


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="aé1 .,;:!?…—()\"'。¿", max_size=60), st.lists(st.integers(0, 60), max_size=8))
def test_any_ends_in_any_text_have_a_mark_each(text, cuts):
    ends = [*sorted(min(cut, len(text)) for cut in cuts), len(text)]
    found = list(marks(text, ends))
    assert len(found) == len(ends)
    assert all(re.fullmatch(r"[.,:;!?]?", mark) for mark in found)
