"""What drivers say is made fit for a terminal and for a described computer."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.machine.text import printable, read_text


@given(st.text())
def test_any_text_becomes_one_printable_line_or_nothing(text: str) -> None:
    line = printable(text)
    assert line is None or (line.isprintable() and 0 < len(line) <= 200)


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read_text(tmp_path / "absent") == ""
    assert read_text(tmp_path) == ""
