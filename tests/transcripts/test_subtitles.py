import pytest

from voxmatrix.transcripts.label import Label
from voxmatrix.transcripts.subtitles import read_subtitles


def test_subrip_with_markup_and_two_lines() -> None:
    text = (
        "1\n00:00:01,000 --> 00:00:02,500\n{\\an8}<i>It was</i>\n<font color=red>a day.</font>\n\n"
        "2\n01:00:00,5 --> 01:00:01,250 X1:0\n- Who?\n– Me &amp; you.\n"
    )
    assert [*read_subtitles(text)] == [
        Label(1.0, 2.5, "It was\na day."),
        Label(3600.5, 3601.25, "Who?\nMe & you."),
    ]


def test_webvtt_with_what_is_no_cue() -> None:
    text = (
        "WEBVTT - talk\n\nSTYLE\n::cue { color: red }\n\nNOTE 00:01 is no time\n\nintro\n"
        "00:01.000 --> 00:02.000 align:start\n<v Anna>Hello<00:00:01.500> there.</v>\n"
    )
    assert [*read_subtitles(text)] == [Label(1.0, 2.0, "Hello there.")]


def test_a_missing_blank_line_does_not_join_two_cues() -> None:
    text = "1\n00:00:01,000 --> 00:00:02,000\nOne.\n2\n00:00:03,000 --> 00:00:04,000\nTwo.\n"
    assert [one.text for one in read_subtitles(text)] == ["One.", "Two."]


@pytest.mark.parametrize("text", ["", "WEBVTT", "a < b and b > c", "00:00:01 -> 00:00:02\nx"])
def test_without_a_cue_there_is_none(text: str) -> None:
    assert not [*read_subtitles(text)]


def test_what_is_less_than_something_stays() -> None:
    text = "00:01.000 --> 00:02.000\n2 < 3 and 4 > 1\n"
    assert [one.text for one in read_subtitles(text)] == ["2 < 3 and 4 > 1"]
