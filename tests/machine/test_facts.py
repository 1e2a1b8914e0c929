"""What drivers say is made fit for a terminal and for a described computer."""

from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.machine.facts import clean_text


@given(st.text())
def test_any_text_becomes_one_printable_line_or_nothing(text: str) -> None:
    line = clean_text(text)
    assert line is None or (line.isprintable() and 0 < len(line) <= 200)
