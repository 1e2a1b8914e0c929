import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.book.selection import select_chapters
from voxmatrix.errors import UsageError


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
