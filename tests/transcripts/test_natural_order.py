from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.transcripts.natural_order import natural_order


def test_numbers_count_by_their_value() -> None:
    names = ["New Recording 1", "New Recording 10", "New Recording 11", "New Recording 2", "new recording 3", "a"]
    assert sorted(names, key=natural_order) == [
        "a",
        "New Recording 1",
        "New Recording 2",
        "new recording 3",
        "New Recording 10",
        "New Recording 11",
    ]


@given(st.lists(st.text(max_size=20)))
def test_any_names_have_an_order(names: list[str]) -> None:
    backwards = names[::-1]
    assert sorted(names, key=natural_order) == sorted(backwards, key=natural_order)


def test_more_digits_than_python_converts_have_one_too() -> None:
    assert natural_order("9" * 10_000) != natural_order("8" * 10_000)
