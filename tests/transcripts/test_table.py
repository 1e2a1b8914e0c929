import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.transcripts.lines import TranscriptRow
from voxmatrix.transcripts.table import guess_columns, header_columns, read_table

LJ = """LJ001-0001|Printing, in the only sense|Printing, in the only sense
LJ001-0002|in being 10 years old|in being ten years old
LJ001-0003|Mr. Smith paid $5|Mister Smith paid five dollars"""
SPEAKERS = """a.wav|anna|Hello there.
b.wav|bob|How are you?
c.wav|anna|Fine, thank you."""


def rows(text: str) -> list[tuple[str, str | None, str]]:
    found, problems = read_table(text.encode(), "metadata.csv")
    assert not problems
    return [(row.file, row.speaker, row.text) for row in found]


def test_two_fields_are_file_and_text() -> None:
    assert rows("a.wav|Hello.\n b | Hi there. ") == [("a.wav", None, "Hello."), ("b", None, "Hi there.")]


def test_a_bar_in_the_text_belongs_to_the_text() -> None:
    assert rows("a|one|two\nb|three\nc|four\nd|five")[0] == ("a", None, "one|two")


def test_three_fields_with_few_names_are_file_speaker_and_text() -> None:
    assert rows(SPEAKERS)[0] == ("a.wav", "anna", "Hello there.")
    assert rows("a.wav|anna|Hello.") == [("a.wav", "anna", "Hello.")]


def test_three_fields_of_ljspeech_are_told_apart_and_the_normalised_text_is_taken() -> None:
    assert [speaker for _, speaker, _ in rows(LJ)] == [None] * 3
    assert rows(LJ)[2][2] == "Mister Smith paid five dollars"


def test_ljspeech_with_an_empty_normalised_text_falls_back_to_the_text() -> None:
    assert rows(LJ + "\nLJ001-0004|only this|")[3] == ("LJ001-0004", None, "only this")
    assert rows(LJ + "\nLJ001-0004|only this")[3] == ("LJ001-0004", None, "only this")


def test_long_middle_fields_that_do_not_repeat_are_sentences_and_no_speakers() -> None:
    lines = [[f"{n}", f"the {n} of all these many words", "etwas ganz anderes"] for n in range(9)]
    assert guess_columns(lines).speaker is None


def test_a_speaker_of_several_words_is_still_a_speaker() -> None:
    lines = [[f"{n}", "Maria del Carmen de la Cruz Ruiz", f"sentence {n}"] for n in range(9)]
    assert guess_columns(lines).speaker == 1


def test_quotes_are_text() -> None:
    assert rows('a|"Hello", she said.\nb|"Open quote') == [
        ("a", None, '"Hello", she said.'),
        ("b", None, '"Open quote'),
    ]


@pytest.mark.parametrize(
    ("header", "line", "wanted"),
    [
        ("file|text", "a|b", ("a", None, "b")),
        ("Speaker|Text|File", "s|t|f", ("f", "s", "t")),
        ("id|text|normalized_text", "i|5|five", ("i", None, "five")),
        ("file_name\ttranscription", "a\tb", ("a", None, "b")),
    ],
)
def test_a_header_names_the_columns(header: str, line: str, wanted: tuple[str, str | None, str]) -> None:
    assert rows(f"{header}\n{line}\n") == [wanted]


def test_a_first_line_that_only_looks_like_a_header_is_a_recording() -> None:
    assert header_columns(["file", "texts"]) is None
    assert header_columns(["text", "sentence"]) is None
    assert header_columns(["id"]) is None


def test_tabs_separate_where_there_are_no_bars() -> None:
    assert rows("a\tb\nc\td") == [("a", None, "b"), ("c", None, "d")]


def test_every_bad_line_is_named() -> None:
    found, problems = read_table(b"a|b\nnothing\n|no file\nc|d", "metadata.csv")
    assert [row.file for row in found] == ["a", "c"]
    assert [(problem.kind, problem.place) for problem in problems] == [
        ("bad-line", "metadata.csv:2"),
        ("bad-line", "metadata.csv:3"),
    ]
    assert "nothing" in problems[0].problem


def test_a_line_without_the_speaker_that_others_have_is_bad() -> None:
    found, problems = read_table((SPEAKERS + "\nd.wav|no speaker here").encode(), "metadata.csv")
    assert len(found) == 3
    assert problems[0].id == "d"


@given(st.lists(st.text(alphabet=string.printable + "|||\t\u2028\ufeffåß日\x00", max_size=40), max_size=12))
def test_any_text_becomes_rows_or_problems_and_no_line_is_lost(lines: list[str]) -> None:
    data = "\n".join(lines).encode()
    found, problems = read_table(data, "m.csv")
    places = [row.line for row in found] + [problem.place for problem in problems]
    assert len(places) == len(set(places))
    for row in found:
        assert row.file
        assert row.text == row.text.strip()


@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    read_table(data, "m.csv")


_NAME = st.text(alphabet=string.ascii_lowercase + "åß日 -", min_size=1, max_size=12).map(str.strip).filter(bool)
_TEXT = st.text(alphabet=string.ascii_letters + ' ,."|éñ', min_size=1, max_size=40).map(str.strip).filter(bool)


@given(st.lists(st.tuples(_NAME, _TEXT), min_size=1, max_size=8))
def test_what_was_written_with_a_header_is_read_back(written: list[tuple[str, str]]) -> None:
    data = "id|text\r\n" + "".join(f"{name}|{text}\r\n" for name, text in written)
    found, problems = read_table(data.encode("utf-8-sig"), "m.csv")
    assert not problems
    assert found == [
        TranscriptRow(line=f"m.csv:{n + 2}", file=name, text=text) for n, (name, text) in enumerate(written)
    ]
