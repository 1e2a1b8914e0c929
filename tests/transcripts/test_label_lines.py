import pytest

from voxmatrix.transcripts.label import Label
from voxmatrix.transcripts.label_lines import read_label_lines


def test_audacity_with_frequencies_and_decimal_commas() -> None:
    text = "0.500000\t1,250000\tOne.\n\\\t100.0\t5000.0\n\n2.0\t3.0\tTwo\twith a tab\n3\t4\n"
    assert read_label_lines(text) == [
        Label(0.5, 1.25, "One."),
        Label(2.0, 3.0, "Two\twith a tab"),
        Label(3.0, 4.0, ""),
    ]


def test_whisper_writes_milliseconds_under_a_header() -> None:
    assert read_label_lines("start\tend\ttext\n0\t1500\tOne.\n") == [Label(0.0, 1.5, "One.")]


@pytest.mark.parametrize(
    "text", ["", "One.\n", "0\t1\tx\nand a sentence", "start\tend\ttext\n", "a\tb\tc", "1 2 three"]
)
def test_other_lines_are_none(text: str) -> None:
    assert read_label_lines(text) is None
