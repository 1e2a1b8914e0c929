"""What a person decides is written into the table, and all else that it says stays byte for byte."""

from pathlib import Path

import pytest

from voxmatrix.book.people.cast_file import with_answers
from voxmatrix.book.people.decisions import merged, separated, with_general, with_person, with_said
from voxmatrix.errors import BadInputError
from voxmatrix.voices.cast_table import CastPerson, CastTable, Correction, parse_table

TABLE = """\
# mine
dialogue = "one"   # of all
[people."Anna"]  # the tall one
also = [
  "Miss Bell",
  "Ann",
]
voice = 'two'  # warm
proposed = true

# the rest
[people.Bo]
sex = "m"
[[said]]
text = "Come in"
who = "Bo"
"""


def said(text: str) -> CastTable:
    return parse_table(text, Path("x.cast.toml"))


def test_only_the_lines_of_a_decision_change() -> None:
    table = said(TABLE)
    anna = CastPerson(name="Anna", also=("Miss Bell", "Ann"), sex="f", voice="three")
    text = with_person(TABLE, table, anna)
    for line in (
        "# mine",
        "# the rest",
        '[people."Anna"]  # the tall one',
        '  "Miss Bell",',
        'voice = "three"  # warm',
    ):
        assert f"{line}\n" in text
    assert said(text).by_name["ann"] == anna
    text = with_general(text, said(text), {"dialogue": "", "unsure": "guess"})
    assert 'dialogue = ""   # of all\n' in text and said(text).unsure == "guess"
    text = with_person(text, said(text), CastPerson(name='Count "X"', voice="four"))
    assert said(text).by_name['count "x"'].voice == "four"
    assert not said(text).by_name['count "x"'].proposed


def test_people_are_merged_and_separated() -> None:
    text = merged(TABLE, said(TABLE), "Bo", "Anna")
    assert said(text).by_name["bo"].name == "Anna" and said(text).by_name["bo"].sex == "m"
    assert len(said(text).people) == 1 and "# the rest\n" in text
    text = separated(text, said(text), "bo")
    assert "bo" not in said(text).by_name
    text = merged(text, said(text), "Ann", "Cleo")  # only that name
    assert (said(text).by_name["ann"].name, said(text).by_name["anna"].also) == ("Cleo", ("Miss Bell",))
    with pytest.raises(BadInputError, match="already"):
        merged(text, said(text), "Ann", "Cleo")
    with pytest.raises(BadInputError, match="no other name"):
        separated(text, said(text), "Anna")


def test_a_correction_is_added_replaced_and_removed_before_the_answers_of_a_model() -> None:
    answer = Correction("Who is it", "Anna", by="a model")
    text = with_answers(TABLE, [answer])
    old, new = Correction("Come in", "Bo"), Correction("Come in", "Anna", "she said")
    text = with_said(text, said(text), old, new)
    assert said(text).said == (new, answer)
    text = with_said(text, said(text), new, None)
    assert said(text).said == (answer,) and text.startswith("# mine\n")


@pytest.mark.parametrize(
    "text", ['people = {Anna = {voice = "one"}}\n', '[people]\nAnna = {voice = "one"}\n'], ids=["inline", "rows"]
)
def test_what_cannot_be_changed_alone_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="without changing what else"):
        with_person(text, said(text), CastPerson(name="Anna", voice="two"))
