from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.errors import BadInputError
from voxmatrix.transcripts.label import Label
from voxmatrix.transcripts.timed import ALWAYS_TIMED, TIMED_SUFFIXES, parse_timed, read_timed

SRT = "1\n00:00:01,000 --> 00:00:02,500\nHallo Müller.\n"


@pytest.mark.parametrize("codec", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_subtitles_are_read_in_the_encodings_of_people(tmp_path: Path, codec: str) -> None:
    (tmp_path / "a.SRT").write_bytes(SRT.encode(codec))
    assert read_timed(tmp_path / "a.SRT") == [Label(1.0, 2.5, "Hallo Müller.")]


def test_labels_are_sorted_and_those_that_cannot_be_heard_left_out() -> None:
    lines = "3\t4\tlast\n1\t2\t first  of\n2.5\t2.5\ta point\n2\t1\tbackwards\n5\t6\t\n"
    assert parse_timed(lines.encode(), "a.txt") == [Label(1.0, 2.0, "first of"), Label(3.0, 4.0, "last")]


def test_points_alone_are_no_labels() -> None:
    with pytest.raises(BadInputError, match=r"a\.txt has no text with a beginning") as caught:
        parse_timed(b"1\t1\tone\n2\t2\ttwo", "a.txt")
    assert "regions" in caught.value.remedy


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.wav", "a.tsv"])
def test_other_files_have_no_times(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("It was a bright cold day.")
    assert read_timed(tmp_path / name) is None
    (tmp_path / name).write_bytes(bytes(range(256)))
    assert read_timed(tmp_path / name) is None


def test_what_is_no_file_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.srt").mkdir()
    assert read_timed(tmp_path / "a.srt") is None
    assert read_timed(tmp_path / "none.srt") is None


def test_a_file_of_another_size_than_texts_have_is_refused(tmp_path: Path) -> None:
    for name in ("a.srt", "a.json"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(33 * 2**20)
    with pytest.raises(BadInputError, match="more than 32 MiB"):
        read_timed(tmp_path / "a.srt")
    assert read_timed(tmp_path / "a.json") is None


@given(st.binary(max_size=300), st.sampled_from(TIMED_SUFFIXES))
def test_any_bytes_are_labels_or_refused(data: bytes, suffix: str) -> None:
    try:
        labels = parse_timed(data, f"a{suffix}")
    except BadInputError:
        return
    assert labels is None or all(0 <= one.start < one.end and one.text for one in labels)
    assert labels is not None or suffix not in ALWAYS_TIMED


@given(st.integers(0, len(SRT)))
def test_a_truncated_file_keeps_what_is_whole(length: int) -> None:
    whole = SRT + "\n2\n00:00:03,000 --> 00:00:04,000\nNext.\n"
    labels = parse_timed(whole.encode()[: len(SRT) + 1 + length], "a.srt") or []
    assert labels[0] == Label(1.0, 2.5, "Hallo Müller.")
