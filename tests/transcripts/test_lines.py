from hypothesis import given
from hypothesis import strategies as st

from voxmatrix.transcripts.lines import Problem, split_lines


def read(data: bytes) -> list[tuple[str, str]]:
    return [(place, line) for place, line in split_lines(data, "m.csv") if not isinstance(line, Problem)]


def test_line_ends_and_marks_of_every_system_are_understood() -> None:
    wanted = [("m.csv:1", "a|b"), ("m.csv:2", "c|å")]
    for text in ("a|b\nc|å\n", "a|b\r\nc|å", "a|b\rc|å\r", "\ufeffa|b\nc|å"):
        assert read(text.encode()) == wanted
    for codec in ("utf-16", "utf-16-le", "utf-16-be"):
        mark = b"" if codec == "utf-16" else "\ufeff".encode(codec)
        assert read(mark + "a|b\r\nc|å".encode(codec)) == wanted


def test_blank_lines_are_skipped_and_counted() -> None:
    assert read(b"\n \na|b\n\n") == [("m.csv:3", "a|b")]


def test_separators_that_are_no_line_ends_stay_in_the_line() -> None:
    assert read("a|b\u2028c\x0bd\x85e".encode()) == [("m.csv:1", "a|b\u2028c\x0bd\x85e")]


def test_only_the_line_that_is_not_utf_8_becomes_a_problem() -> None:
    lines = list(split_lines("x|y\né.wav|chérie\nz|w".encode("latin-1"), "m.csv"))
    assert [isinstance(line, Problem) for _, line in lines] == [False, True, False]
    problem = lines[1][1]
    assert isinstance(problem, Problem)
    assert (problem.kind, problem.place) == ("bad-encoding", "m.csv:2")
    assert "0xe9" in problem.problem
    assert problem.remedy.endswith("iconv -f cp1252 -t utf-8 m.csv > NEW.txt")


@given(st.binary(max_size=300))
def test_any_bytes_give_lines_or_problems(data: bytes) -> None:
    for place, line in split_lines(data, "m.csv"):
        assert place.startswith("m.csv:")
        assert isinstance(line, Problem) or line.strip()
